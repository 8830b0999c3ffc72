"""Ways to turn a text into a vector, one file each. Loaded in recall's child process only.

To add one, write a module here with a function `@embedder("name", "one sentence about it")` that takes the folder
`.index/` (a `Path`, for what it builds once) and returns an object that follows `_embedder.Embedder`; then name it in
`EMBEDDERS` of `agents/recall/settings.py`. It must be deterministic and give unit vectors; the contract tests try it.
"""
