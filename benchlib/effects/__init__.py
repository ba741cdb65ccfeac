"""What each factor (input count, bit size, curve ...) does to a cost: one module a question.

::

    cells -> additive -> outlying_cells -> anova, plain_effects, interactions   plain effects
    shapes -> hypotheses -> search -> predict -> cost_models                    what a cost is made of
    cells -> breakdown                                                          parts of a whole
"""
