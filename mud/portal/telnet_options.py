"""Telnet options of one client, negotiated by telnetlib3: what its terminal is like, and what it can receive.

The only file that knows the library. It is held to the options below, as it would accept more than this door can do,
and its logger is silent, as strangers could fill the log.
"""

from __future__ import annotations

import logging
import struct
from collections import deque
from collections.abc import Callable

from telnetlib3 import TelnetWriter
from telnetlib3.mud import mssp_encode
from telnetlib3.telopt import (
    ACCEPTED,
    CHARSET,
    CMD_EOR,
    DO,
    DONT,
    ECHO,
    EOR,
    GA,
    GMCP,
    IAC,
    IS,
    MCCP2_COMPRESS,
    MSSP,
    NAWS,
    REJECTED,
    REQUEST,
    SB,
    SE,
    TTYPE,
    WILL,
    WONT,
)

from mud.portal.ansi import TerminalStyle, fitting
from mud.portal.telnet_stream import CollectedOutput

MOST_COMMANDS = 8192  # bytes of telnet commands that a client may send at once; each costs a microsecond
COMMANDS_A_SECOND = 512
_NAMES = 4  # answers about its terminal that a client is asked for: client, terminal, MTTS, and one more
_ANSI, _UTF8, _COLOURS_256, _SCREEN_READER, _TRUE_COLOUR = 1, 4, 8, 64, 256  # bits of MTTS
_HAVE_256 = ("256color", "truecolor")
_HAVE_16 = ("ansi", "linux", "mudlet", "putty", "rxvt", "screen", "tintin", "tmux", "vt1", "vt2", "xterm")
_ENCODINGS = {b"utf-8": "utf-8", b"us-ascii": "ascii"}


class TelnetOptions(TelnetWriter):
    """The state of all options, and the interpreter of commands.

    Args:
        status: returns what is told of the world to lists of MUDs.
        changed: called when `style`, `gmcp` or `prompt_end` may have changed.
        received: called with the payload of each GMCP message.
        compresses: offer MCCP2; not below TLS, where compression gives secrets away.
    """

    slc_simulated = False

    def __init__(
        self,
        output: CollectedOutput,
        status: Callable[[], dict[str, str | list[str]]],
        changed: Callable[[], None],
        received: Callable[[bytes], None],
        *,
        compresses: bool,
    ) -> None:
        super().__init__(output, None, server=True)
        self.log = logging.Logger("telnet options", logging.CRITICAL)
        self.style = TerminalStyle()
        self.rows: int | None = None
        """Rows of the client's window; None when it tells none."""
        self.plain = False
        """Whether a screen reader wants no decoration."""
        self.gmcp = False
        self.prompt_end = b""
        """What marks the end of a prompt; empty until the client has shown that it speaks telnet."""
        self.allowed = MOST_COMMANDS
        """Bytes of commands that the client may still send."""
        self._output, self._status, self._changed, self._received = output, status, changed, received
        self._offered = {CHARSET, EOR, GMCP, MSSP, *([MCCP2_COMPRESS] if compresses else [])}
        self._hides = False
        self._names: list[str] = []
        self._mtts = 0
        self._charset = ""

    def offer(self) -> None:
        """Begin the negotiation."""
        for option in (TTYPE, NAWS):
            self.iac(DO, option)
        for option in sorted(self._offered):
            self.iac(WILL, option)

    def feed(self, data: bytes) -> bytes:
        """Carry out the commands in what was read and return the rest. Raises ConnectionAbortedError for too many."""
        if not self.is_oob and IAC not in data:
            return data
        text, at = bytearray(), 0
        while at < len(data):
            if not self.is_oob:
                found = data.find(IAC, at)
                end = len(data) if found < 0 else found
                text += data[at:end]
                if found < 0:
                    break
                at = found
            text += self._interpret(data[at : at + 1])
            at += 1
        if not self.prompt_end:
            self._speaks(IAC + GA)
        return bytes(text)

    def _interpret(self, byte: bytes) -> bytes:
        """Take a byte that belongs to a command; return it if it turns out to be text."""
        self.allowed -= 1
        if self.allowed < 0:
            raise ConnectionAbortedError("too many telnet commands")
        try:
            return byte if self.feed_byte(byte) else b""
        except ValueError:  # a command that makes no sense is none
            return b""

    def _speaks(self, prompt_end: bytes) -> None:
        self.prompt_end = prompt_end
        self._changed()

    def hide(self, hidden: bool) -> None:
        """Have the client show what is typed, or not: sent each time, whatever it answered before."""
        if hidden != self._hides:
            self._hides = hidden
            self.send_iac(IAC + (WILL if hidden else WONT) + ECHO)

    def send(self, option: bytes, payload: bytes) -> None:
        """Send a subnegotiation."""
        self.send_iac(IAC + SB + option + self._escape_iac(payload) + IAC + SE)

    def send_gmcp_bytes(self, message: bytes) -> None:
        self.send(GMCP, message)

    def handle_do(self, opt: bytes) -> bool:
        if opt == ECHO:
            if not self._hides:
                self.iac(WONT, ECHO)
            return self._hides
        if opt not in self._offered:
            self.iac(WONT, opt)
            return False
        if not self.local_option.enabled(opt):
            self.iac(WILL, opt)
            self.local_option[opt] = True
            self._agreed(opt)
        return True

    def handle_dont(self, opt: bytes) -> None:
        if self.local_option.enabled(opt) and opt == MCCP2_COMPRESS:
            self._output.stop_compressing()
        if opt == GMCP:
            self.gmcp = False
        if opt == EOR and self.prompt_end:
            self._speaks(IAC + GA)

    def handle_will(self, opt: bytes) -> None:
        if opt in (TTYPE, NAWS):
            super().handle_will(opt)
        else:
            self.iac(DONT, opt)

    def _agreed(self, option: bytes) -> None:
        if option == MCCP2_COMPRESS:
            self.send(option, b"")
            self._output.compress()
        elif option == MSSP:
            self.send(option, mssp_encode(self._status()))
        elif option == CHARSET:
            self.send(option, REQUEST + b" UTF-8 US-ASCII")
        elif option == EOR:
            self._speaks(IAC + CMD_EOR)
        elif option == GMCP:
            self.gmcp = True
            self._changed()

    def handle_subnegotiation(self, buf: deque[bytes]) -> None:
        option, data = buf[0], b"".join(buf)[1:]
        self.pending_option[SB + option] = False
        if option == NAWS and len(data) == 4:
            columns, rows = struct.unpack("!HH", data)
            self.rows = rows or None
            self._restyle(self.style._replace(columns=fitting(columns) if columns else None))
        elif option == TTYPE and data[:1] == IS:
            self._named(data[1:].decode("ascii", "replace"))
        elif option == CHARSET:
            self._encoded(data[:1], data[1:])
        elif option == GMCP and self.gmcp:
            self._received(data)

    def _named(self, name: str) -> None:
        """Take an answer about the terminal, and ask for the next one until they repeat."""
        if name.startswith("MTTS ") and name[5:].isdecimal() and len(name) < 12:
            self._mtts = int(name[5:])
        elif name.lower() not in self._names and len(self._names) < _NAMES:
            self._names.append(name.lower())
            self.request_ttype()
        self._restyle(self.style)

    def _encoded(self, verb: bytes, data: bytes) -> None:
        if verb == ACCEPTED:
            self._charset = _ENCODINGS.get(data.lower(), "")
        elif verb == REJECTED:
            self._charset = "" if self._mtts & _UTF8 else "ascii"
        elif verb == REQUEST and data:
            offered = data[1:].split(data[:1])
            chosen = next((one for one in offered if one.lower() in _ENCODINGS), None)
            self.send(CHARSET, ACCEPTED + chosen if chosen else REJECTED)
            self._charset = _ENCODINGS[chosen.lower()] if chosen else self._charset
        self._restyle(self.style)

    def _restyle(self, style: TerminalStyle) -> None:
        self.plain = bool(self._mtts & _SCREEN_READER)
        encoding = self._charset or ("ascii" if self._mtts and not self._mtts & _UTF8 else "utf-8")
        self.style = TerminalStyle(self._colours(), None if self.plain else style.columns, encoding)
        self._changed()

    def _colours(self) -> int:
        if self.plain:
            return 0
        names = " ".join(self._names)
        if self._mtts & (_COLOURS_256 | _TRUE_COLOUR) or any(one in names for one in _HAVE_256):
            return 256
        return 16 if self._mtts & _ANSI or any(one in names for one in _HAVE_16) else 0
