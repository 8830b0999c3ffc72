"""The library form of seed 001: compaction of any list of entries, without a world, an agent or a vault.

Where an earlier summary is among what is folded, what it says is carried on, whoever writes: its findings, kinds of
errors and sentences stay until each fill a quarter of `max_chars_before_compaction` (1,000 characters at least), and
then the oldest and the newest of them stay. A history is never made longer: where no summary is shorter than what it
would replace, the result is a no-op, with an empty summary and every entry preserved.
"""
