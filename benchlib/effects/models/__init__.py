"""Cost models that explain and predict: which powers and logarithms of the factors make up a cost.

`model.fit_cost_model` answers for one table of cells. It takes the cells apart (`observed`), leaves out factors that
stand for others (`confounded`), writes down what might be true (`terms`, `structures`, `shapes`, `designs`; `growing`
where factors are many), fits each of these (`fitting`, `hypotheses`), weighs them against each other (`criteria`,
`search`), sets apart what none explains (`special`), and puts the result into `answers` with the free `exponents`.
`prediction` averages over the rivals, and `next_cells` says what to measure to tell them apart.
"""
