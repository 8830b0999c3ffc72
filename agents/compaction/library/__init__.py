"""The library form of seed 001: compaction of any list of entries, without a world, an agent or a vault.

Findings, kinds of errors and sentences of earlier summaries are carried over, each up to a quarter of
`max_chars_before_compaction` (at least 1,000 characters); beyond that the oldest and the newest are kept. If no
summary is shorter than what it would replace, nothing is compacted.
"""
