"""Language models: how they are asked (queue, jobs, hosts), what they cost (budget, tokens), and what speaks with them.

A new way to reach a model is a file in `backends/`; its docstring says how to write one.
"""
