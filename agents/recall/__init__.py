"""Recall: search an agent's memories. Light to import: the heavy libraries load in a child process only."""
