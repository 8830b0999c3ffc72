"""Reading, checking and writing the files of the vault, except `vault/.index/`. No rules of the world are in here."""
