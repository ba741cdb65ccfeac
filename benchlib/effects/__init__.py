"""What each factor (input count, bit size, curve ...) does to a cost: cells, slopes, ratios.

`cells` sorts values by factor levels; `marginal.analyse_cells` is the whole analysis: `factors`
tells numbers from categories, `additive` fits and sets special cells apart, `slopes` and `levels`
word the effects, `importance` ranks the factors.
"""
