"""Ways to keep vectors and find the nearest, one file each. Loaded in recall's child process only.

To add one, write a module here with a function `@index("name", "one sentence about it")` that takes a `_index.Place` (a
folder of its own, or a server's address) and the name and dimension of the model, and returns an object that follows
`_index.Index`. It may lose or break what it keeps in the folder: the child process notices an unclean end and fills an
empty one. The contract tests try it.
"""
