"""Ways to reach a language model, one file each.

To add one, write a module here with a class that follows `agents.llm.backend.LanguageModel` and, at module level,
`MINE = Backend("mine", "one sentence about it", MyModel)`; the name is the file's. It can then be named in `backend:`
of a file in `vault/config/llm/`. It raises `Unavailable` (or `Refused`) with a sentence for people, and nothing else.
What talks HTTP uses `agents.llm.http.Wire`; a reply that comes in pieces is a `StreamedReply`.
"""
