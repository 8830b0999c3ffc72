"""Reading, checking and writing the files of the vault, except `vault/.index/`. No rules of the world are in here.

`files`, `paths` and `jsonl` keep files whole and inside the vault, `documents` parses markdown with front matter,
`configuration` and `settings` read config files, `texts` the words of the world, `world_files` the world, and `watch`
reports edits.
"""
