"""The running program: it opens a vault, connects its parts, and carries out edits and requests."""
