"""Ways to decide when memories are folded and which, one file each.

To add one, write a module here with pure functions and, at module level, `MINE = Strategy("mine", "one sentence about
it", due=..., manual=..., next_at=...)`. It can then be named in `strategy:` of config/memory_compaction.md or of an
agent.md. It must fold from the watermark on; whatever it does, what is not folded is shown word for word.
"""
