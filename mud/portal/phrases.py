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
