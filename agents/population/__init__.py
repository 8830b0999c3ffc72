"""All agents and people of a vault: their definitions, open memories and running folds."""
