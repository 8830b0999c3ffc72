"""The memory of an agent: an archive of all entries, summaries over them, and notes."""
