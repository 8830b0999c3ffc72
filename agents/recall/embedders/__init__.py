"""Ways to turn a text into a vector, one file each. Loaded in recall's child process only.

To add one, write a module here with a function `@embedder("name", "one sentence about it")` that takes the folder
`.index/` (a `Path`, for what it builds once) and returns an object that follows `_embedder.Embedder`; the name is the
file's. It can then be named in `embedder:` of config/recall.md. It must be deterministic and give unit vectors; the
contract tests try it. One on a server is a `Dialect` of `_served` instead, with the server that the LLM profile `embed`
names.
"""
