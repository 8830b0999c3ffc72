"""The library form of seed 001: compaction of any list of entries, without a world, an agent or a vault.

What earlier summaries say is carried over, the oldest and the newest of it if there is too much. If no summary is
shorter than what it would replace, nothing is compacted.
"""
