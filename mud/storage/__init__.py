"""The only code that touches the vault, but for `vault/.index/`: what a file looks like, and how it is kept whole.

    documents      a markdown file with front matter, as a value and back                     pure
    settings       a config file against its schema, and back                                 pure
    configuration  every config file in force, last good one kept, and where a value came from
    texts          what people read in the world, with its places filled
    files          names, atomic writes, careful reads, the one-writer lock
    jsonl          append-only files of JSON lines that survive a kill
    watch          edits by hand, noticed within a second
    world_files    locations, items, characters and the state of the world

It knows nothing of the world's rules and decides nothing: it reads, checks, says every problem at once, and writes.
"""
