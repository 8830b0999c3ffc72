"""The running program: a vault is opened, its parts are wired together, and edits and requests are carried out."""
