"""What doors say themselves. In a file of its own because phrases are checked at every start, which loads no door."""

from __future__ import annotations

from mud.world.narration import phrase

GREETING = phrase("portal.login.greeting", "world")
TO_REGISTER = phrase("portal.login.to_register")
TO_VISIT = phrase("portal.login.to_visit")
NAME = phrase("portal.login.name")
PASSWORD = phrase("portal.login.password")
NEW_NAME = phrase("portal.login.new_name")
NEW_PASSWORD = phrase("portal.login.new_password", "name")
AGAIN = phrase("portal.login.again")
RESERVED = phrase("portal.login.reserved", "name")
DIFFERENT = phrase("portal.login.different")
TOO_OFTEN = phrase("portal.login.too_often")
UNWRITTEN = phrase("portal.login.unwritten", "why")
BYE = phrase("portal.login.bye")

MORE = phrase("portal.pages.more")

LONG = phrase("portal.telnet.long")
SLOW = phrase("portal.telnet.slow")
IDLE = phrase("portal.telnet.idle")
UNNAMED = phrase("portal.telnet.unnamed")
CLOSING = phrase("portal.telnet.closing")

USED = phrase("portal.web.used")
NOT_YOURS = phrase("portal.web.not_yours")
TOO_OLD = phrase("portal.web.too_old")
TOO_MUCH = phrase("portal.web.too_much")
TOO_LONG = phrase("portal.web.too_long")
NOTHING = phrase("portal.web.nothing")

INSTRUCTIONS = phrase("portal.mcp.instructions")
COMMAND = phrase("portal.mcp.command", "role")
LINE = phrase("portal.mcp.line")
WAIT = phrase("portal.mcp.wait", "most")
SECONDS = phrase("portal.mcp.seconds")
NO_SECONDS = phrase("portal.mcp.no_seconds")
NO_TOOL = phrase("portal.mcp.no_tool", "name")
NO_LINE = phrase("portal.mcp.no_line")
NO_RESOURCE = phrase("portal.mcp.no_resource", "uri")
MEANWHILE = phrase("portal.mcp.meanwhile")
QUIET = phrase("portal.mcp.quiet")
DONE = phrase("portal.mcp.done")
STILL = phrase("portal.mcp.still")
LEFT_OUT = phrase("portal.mcp.left_out", "count")
BROKEN = phrase("portal.mcp.broken")
SHUT = phrase("portal.mcp.shut")
NO_TOKEN = phrase("portal.mcp.no_token")
