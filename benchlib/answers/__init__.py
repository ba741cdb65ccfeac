"""Questions asked of results: one file a question, each answer frozen, with unit, interval, n, caveats, evidence.

Each function takes a `Study` apart into arrays, calls the reasoning, and says in a `Refusal` why a question cannot
be asked where the data do not carry it. A formula, a file format or a colour found here is in the wrong room.
"""
