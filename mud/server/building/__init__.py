"""Building from inside the world: what builders ask (`mud/commands/building.py`) becomes texts of files.

`files.py` writes them, whole or not at all, and takes them back; `answers.py` has the table of answers.
"""
