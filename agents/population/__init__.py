"""All agents and people of a vault: who there is, whose memory is open, and which folds are under way."""
