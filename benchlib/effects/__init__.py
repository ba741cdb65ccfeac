"""What each factor (input count, bit size, curve ...) does to a cost: cells, slopes, ratios and what follows.

`cells` sorts values by factor levels; `marginal.analyse_cells` finds the plain effects: `factors`
tells numbers from categories, `slices` cuts the table, `apart` finds its special cells, `additive` fits,
`slopes` and `levels` word the effects, `contrasts` gives ratios their intervals, `importance` ranks the
factors by `sums_of_squares`.

Each further question has a module: what factors do to each other (`interactions`,
`slope_interactions`), a whole and its parts (`breakdown`), the best level of a factor (`settings`).
"""
