"""Ways to write a summary, one file each.

To add one, write a module here with a generator function and, at module level, `MINE = Summarizer("mine", "one sentence
about it", write)`. `write(source, prompts)` yields prompts for the language model, is sent its replies, and returns the
summary's text; one that never yields needs no model. It can then be named in `summarizer:` of
config/memory_compaction.md. What it returns is checked against its source before it may become a summary.
"""
