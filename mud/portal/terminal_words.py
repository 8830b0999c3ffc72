"""What the terminal says besides the world, as phrases; apart from its code because every start checks all phrases."""

from __future__ import annotations

from mud.world.narration import phrase

ASK_NAME = phrase("terminal.entering.ask_name", "default")
WELCOME = phrase("terminal.entering.welcome")
TRY = phrase("terminal.entering.try")
TRY_LINES = phrase("terminal.entering.try_lines")

MAP = phrase("terminal.panels.map")
HERE = phrase("terminal.panels.here")
CARRIED = phrase("terminal.panels.carried")
MEMORY = phrase("terminal.panels.memory")
NOBODY = phrase("terminal.panels.nobody")
NOTHING = phrase("terminal.panels.nothing")
NOWHERE = phrase("terminal.panels.nowhere")
ASLEEP = phrase("terminal.panels.asleep", "name")
EXIT = phrase("terminal.panels.exit", "name", "place")
UNKNOWN = phrase("terminal.panels.unknown", "name")
MORE = phrase("terminal.panels.more")

LONGTERM = phrase("terminal.mind.longterm")
RECENT = phrase("terminal.mind.recent")
VERBATIM = phrase("terminal.mind.verbatim")
NEXT = phrase("terminal.mind.next", "number", "count")
NO_FOLD = phrase("terminal.mind.no_fold")
NO_MEMORY = phrase("terminal.mind.no_memory")
NONE_YET = phrase("terminal.mind.none_yet")
NEWEST = phrase("terminal.mind.newest")
MIND_OF = phrase("terminal.mind.of", "name")
OTHERS = phrase("terminal.mind.others")

KEY_HELP = phrase("terminal.keys.help")
KEY_MAP = phrase("terminal.keys.map")
KEY_MIND = phrase("terminal.keys.mind")
KEY_PANELS = phrase("terminal.keys.panels")
KEY_NOTICES = phrase("terminal.keys.notices")
KEY_NEXT = phrase("terminal.keys.next")
KEY_QUIT = phrase("terminal.keys.quit")
CLOSE = phrase("terminal.keys.close")
HELP_PAGE = phrase("terminal.keys.page")
NO_NOTICES = phrase("terminal.notices.none")
MORE_NOTICES = phrase("terminal.notices.more")
WHOLE_NOTICE = phrase("terminal.notices.whole")
