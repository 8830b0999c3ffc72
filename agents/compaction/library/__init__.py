"""The library form of seed 001: compaction of any list of entries, without a world, an agent or a vault.

    config          when a history is compacted, and how
    compactor       decides, summarizes, makes the shorter history; what one compaction did
    conversation    turns of a conversation, and a context made of them
    folding         what one compaction would replace, how a model is asked, and whether it is worth it
    digest          summaries by rules, written and read back
    steps           what an entry of any form says, and the entry that a summary becomes

Where an earlier summary is among what is folded, what it says is carried on, whoever writes: its findings, kinds of
errors and sentences stay until each fill a quarter of `max_chars_before_compaction` (1,000 characters at least), and
then the oldest and the newest of them stay. A history is never made longer: where no summary is shorter than what it
would replace, the result is a no-op, with an empty summary and every entry preserved.
"""
