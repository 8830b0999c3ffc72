"""Reading, checking and writing the files of the vault, except `vault/.index/`. No rules of the world are in here.

`files` and `paths` keep files whole and inside the vault; `documents` parses markdown with front matter; `settings`
and
`configuration` read config files; `texts` reads the words of the world; `jsonl` is for append-only files; `watch`
reports edits; `world_files` and `world_state` hold the world.
"""
