"""People's sessions without input or output: any door can drive one. Pure.

A session takes lines and hands out messages; a door draws a message's marks as colours, HTML or not at all.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from mud.engine.engine import Step
from mud.sanitize import sanitize
from mud.world.events import Event, Perception
from mud.world.narration import Mark
from mud.world.roles import Role
from mud.world.things import Kind
from mud.world.world import World

MARKS = ("place", "person", "item", "exit", "speech")
"""What a part of a message may be marked as."""
KINDS = (
    "reply", "refusal", "notice", "news", "question",
    "speech", "shout", "whisper", "emote", "action", "gift", "channel", "departure", "arrival",
)  # fmt: skip
"""Kinds of message: the answer to one's own line, what the program tells of itself or of what happened meanwhile, its
questions, and the kinds of event."""

MOST_AHEAD, LONGEST_AHEAD = 64, 400_000
"""Lines that a session keeps while it waits for an answer, and their characters together."""
TOO_FAR = "You are too far ahead; that line was not carried out."
NOT_DONE = "What you typed after that was not carried out."

_PASSWORD = re.compile(r"\s*@?passw(?:or)?d(?!\w)\s*\S", re.IGNORECASE)
_MODELS = re.compile(r"\s*@?llm", re.IGNORECASE)
_KEY = re.compile(
    r"(?P<before>//).*(?=@)"  # in an address, before its host
    r"|(?P<behind>[?#]).+"
    r"|(?P<named>\b\w*(?:key|passw|secret|token(?!s\b)|auth|bearer)\w*[\s:=]+)(?!(?-i:[A-Z]+(?:_[A-Z0-9]+)+)\s*$)\S.*"
    r"|\b(?:(?:sk|hf|gsk|xai|ghp)[-_]\w{8}|AIza\w).*",
    re.IGNORECASE | re.DOTALL,
)
"""What may be a key or password; the name of an environment variable is none."""
HIDDEN = "…"
"""Stands for a key or password that was typed."""
_SPEECH = re.compile(r'"[^"\n]*"?')


class Message:
    """A text for people.

    Args:
        kind: one of `KINDS`.
        names: names that may occur in it, each with its mark.
        event: what it tells of; None for all that is no event.
    """

    def __init__(
        self, text: str, kind: str = "reply", names: Iterable[tuple[str, str]] = (), event: Event | None = None
    ) -> None:
        self.text, self.kind, self.event = text, kind, event
        self.drawn: dict[object, bytes] = {}
        """What doors made of it, each under a key of its own, so that many listeners cost no more than one."""
        self._names = dict(names)

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """The marked parts, in order; none overlaps another."""
        speech = [Mark(*found.span(), "speech") for found in _SPEECH.finditer(self.text)]
        if not self._names:
            return tuple(speech)
        longest_first = sorted(filter(None, self._names), key=len, reverse=True)
        name = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
        exits = self.text.rfind("\n") + 1
        named = [
            Mark(*found.span(), kind)
            for found in name.finditer(self.text)
            if ((kind := self._names[found[0]]) != "exit" or found.start() >= exits)
            and not any(one.start <= found.start() < one.end for one in speech)
        ]
        return tuple(sorted([*speech, *named]))


def names_around(world: World, who: str) -> list[tuple[str, str]]:
    """Return the names of what is around a character, each with its mark."""
    here = world.location_of(who)
    if here is None:
        return []
    things = [*world.contents(here.id), *world.items(who)]
    named = [(way.name, "exit") for way in here.exits]
    named += [(one.name, "item" if one.kind is Kind.ITEM else "person") for one in things]
    return [*named, (here.name, "place")]


def tells_password(line: str) -> bool:
    """Return whether a password or key may stand in a line, so that no history keeps it."""
    return _PASSWORD.match(sanitize(line)) is not None or without_key(line) != line


def without_key(line: str) -> str:
    """Return a line about language models with `HIDDEN` for what may be a key or password; another as it is."""
    clean = sanitize(line)
    if _MODELS.match(clean) is None or _KEY.search(clean) is None:
        return line
    return _KEY.sub(lambda found: (found[found.lastgroup] if found.lastgroup else "") + HIDDEN, clean)


class _Ahead(NamedTuple):
    """A line that was typed, with `Session.type`'s arguments."""

    line: str
    private: bool
    taken: Callable[[bool], None]


def _ignore(hidden: bool) -> None:
    return


class Session:
    """A person at a keyboard.

    While a line waits for an answer, which may be a question for a password, those after it are kept, in order, so that
    none that was meant to be private is carried out as a command.

    Args:
        who: id of their character.
        submit: carries out a line with the session's role.
        show: takes each message; an OSError from it ends the session.
        role: the rank of what is typed here.
        names: returns the names that may occur in a reply, for its marks.
    """

    def __init__(
        self,
        who: str,
        submit: Callable[[str], Step],
        show: Callable[[Message], None],
        role: Role = Role.OWNER,
        names: Callable[[str], Iterable[tuple[str, str]]] = lambda who: (),
    ) -> None:
        self.own = who
        self.who = who  # id of the character whose perceptions are shown: the person's own or a possessed one
        self.role = role
        self.account, self.door, self.address = "", "", ""  # empty for the person who started the program
        self.over = False
        self.on_end: Callable[[], None] = lambda: None
        """Called once when the session is over; its door closes the connection then."""
        self.on_private: Callable[[bool], None] = lambda private: None
        """Called when a private line is asked for, and when it was typed: its door shows and keeps no such line."""
        self.on_question: Callable[[bool], None] = lambda asked: None
        """Called when a line that is not private is asked for, and when it was typed: its door takes an empty one."""
        self.soon: Callable[[Callable[[], None]], object] = lambda work: work()
        """Does something once what happens now has happened, such as an event loop's `call_soon`."""
        self.on_ready: Callable[[], None] = lambda: None
        """Called when the session does not wait any more, for doors that keep what is typed ahead themselves."""
        self.forget: Callable[[], bool] = lambda: False
        """Called when what was typed ahead is not to be carried out: its door drops what it keeps, and returns whether
        it kept any."""
        self._take: Callable[[str | None], None] | None = None
        self._hides = False  # whether the line that is asked for is private
        self._ahead = deque[_Ahead]()
        self._asked = False  # for a line, since the last command
        self._may_ask = True
        self._submit = submit
        self._show = show
        self._names = names
        self._typing = False
        self._awaited: dict[int, int] = {}
        self._early: dict[int, int] = {}
        """Answers that came while the line with the request was still being submitted."""

    @property
    def waiting(self) -> bool:
        """Whether requests of a line are still unanswered, and none of them waits for a line that it asked for."""
        return bool(self._awaited) and not self.asks

    @property
    def asks(self) -> bool:
        """Whether the next line is an answer to a question, and no command."""
        return self._take is not None

    @property
    def private(self) -> bool:
        """Whether the next line is private, such as a password."""
        return self.asks and self._hides

    def ask(self, question: str, take: Callable[[str | None], None], *, private: bool = True) -> None:
        """Ask for one line. It goes to `take` alone, which is given None when there will be no such line.

        Args:
            private: no door shows or keeps the line.
        """
        self._end_question(None)
        if self.over or not self._may_ask:
            take(None)
            return
        self._take, self._asked, self._hides = take, True, private
        self._on_ask(True)
        self.tell(question, "question")
        self._ready()

    def _on_ask(self, begins: bool) -> None:
        (self.on_private if self._hides else self.on_question)(begins)

    @property
    def may_ask(self) -> bool:
        """Whether a line can be asked for here; so it is, in vain, in a session that has ended."""
        return self._may_ask or self.over

    def ask_no_more(self) -> None:
        """Do without the line that was asked for, if any, and without all later ones."""
        self._may_ask = False
        self._end_question(None)

    def _end_question(self, line: str | None) -> None:
        take, self._take = self._take, None
        if take is not None:
            self._on_ask(False)
            take(line)

    def awaits(self, step: int) -> bool:
        """Return whether a step with an unanswered request was typed here; so may be one that is just being typed."""
        return step in self._awaited or self._typing

    def type(self, line: str, *, private: bool = False, taken: Callable[[bool], None] = _ignore) -> None:
        """Submit a line and show its reply, or hand over one that was asked for. An empty line does nothing else.

        Args:
            private: it answers a private question, and is dropped when none is asked any more.
            taken: called once the line's turn has come, with whether it is to be shown nowhere.
        """
        typed = _Ahead(line, private, taken)
        if not self._ahead and not self.waiting:
            self._take_line(typed)
        elif len(self._ahead) < MOST_AHEAD and len(line) + sum(len(one.line) for one in self._ahead) <= LONGEST_AHEAD:
            self._ahead.append(typed)
        else:
            taken(True)
            self.tell(TOO_FAR, "refusal")

    def quit(self) -> None:
        """Leave, whatever is asked or waited for."""
        self._ahead.clear()
        self._end_question(None)
        self._carry_out("quit")

    def _ready(self) -> None:
        """Carry on with what was typed ahead, once what happens now has happened."""
        self.on_ready()
        if self._ahead:
            self.soon(self._carry_on)

    def _carry_on(self) -> None:
        if self._ahead and not self.waiting:
            self._take_line(self._ahead.popleft())
            if not self.waiting:
                self._ready()

    def _drop_ahead(self) -> None:
        """Drop what was typed ahead of a question that is not asked any more, as it may hold a password."""
        dropped = self.forget() or bool(self._ahead)
        while self._ahead:
            self._ahead.popleft().taken(True)
        if dropped:
            self.tell(NOT_DONE, "refusal")

    def _take_line(self, typed: _Ahead) -> None:
        hidden = typed.private or self.private
        typed.taken(hidden)
        if self.asks and self.private >= typed.private:
            self._end_question(typed.line)
        elif not hidden:
            self._carry_out(typed.line)

    def _carry_out(self, line: str) -> None:
        if not line.strip() or self.over:
            return
        self._asked = False
        self._early.clear()
        self._typing = True
        try:
            step = self._submit(line)
        finally:
            self._typing = False
        open_requests = len(step.requests) - self._early.pop(step.number, 0)
        if open_requests > 0:
            self._awaited[step.number] = open_requests
        self._reply(step)
        if step.quit:
            self.end()

    def _reply(self, step: Step) -> None:
        if step.reply:
            self.show(Message(step.reply, "refusal" if step.failed else "reply", self._names(self.who)))

    def tell(self, text: str, kind: str = "notice") -> None:
        """Show what the program itself has to say."""
        if text:
            self.show(Message(text, kind))

    def show(self, message: Message) -> None:
        """Pass a message to the door. After the end nothing is shown."""
        if self.over:
            return
        try:
            self._show(message)
        except OSError:
            self.end()

    def end(self, why: str = "") -> None:
        """End the session, after telling why."""
        if self.over:
            return
        self.tell(why)
        if not self.over:  # telling may have failed, and ended it
            self.over = True
            self._ahead.clear()
            self.on_end()
            self.ask_no_more()

    def answered(self, step: Step, role: Role) -> None:
        """Show the answer to a request, if it was made here or, with no higher role, for the character that is shown.

        Args:
            role: of the session where it was made.
        """
        asked = step.answers
        if asked is None or (asked.step not in self._awaited and (asked.who != self.who or self.role < role)):
            return
        if asked.step not in self._awaited:
            self._early[asked.step] = self._early.get(asked.step, 0) + 1
        else:
            self._awaited[asked.step] -= 1
            if not self._awaited[asked.step]:
                del self._awaited[asked.step]
        self._reply(step)
        if asked.step not in self._awaited and not self.waiting:
            if step.failed and self._asked:
                self._drop_ahead()
            self._ready()

    @property
    def typing(self) -> bool:
        """Whether a line that was typed here is being carried out."""
        return self._typing

    def acted(self, step: Step, role: Role) -> None:
        """Show the reply to a step of the shown character that was typed elsewhere with no higher role."""
        if not self._typing and self.role >= role and not step.quit:
            self._reply(step)


class Sessions:
    """Everybody's sessions. Each step is told to those who perceive it, found by their character."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._by_character: dict[str, list[Session]] = {}

    def __iter__(self) -> Iterator[Session]:
        return iter([one for some in self._by_character.values() for one in some])

    def add(self, session: Session) -> None:
        self._by_character.setdefault(session.who, []).append(session)

    def remove(self, session: Session) -> None:
        found = self._by_character.get(session.who, [])
        if session in found:
            found.remove(session)
        if not found:
            self._by_character.pop(session.who, None)

    def asker(self, step: int) -> Session | None:
        """Return the session where the line of a step with a request was typed; None when it is gone."""
        return next((one for one in self if one.awaits(step)), None)

    def of(self, who: str) -> list[Session]:
        """Return the sessions of the person with this character."""
        return [one for one in self if one.own == who]

    def look_through(self, session: Session, who: str) -> None:
        """Let a session show what another character perceives."""
        if session.who != who:
            self.remove(session)
            session.who = who
            self.add(session)

    def observe(self, step: Step) -> None:
        """Show a step to everybody who perceives it."""
        if (asked := step.answers) is not None:
            role = max((one.role for one in self if one.awaits(asked.step)), default=Role.OWNER)
            for session in self:
                session.answered(step, role)
            return
        here = tuple(self._by_character.get(step.who, ()))
        if here:
            # What somebody else did with this character, or nobody, may hold what only an owner may see.
            role = max((one.role for one in here if one.typing), default=Role.OWNER)
            for session in here:
                session.acted(step, role)
        messages: dict[tuple[int, str], Message] = {}
        for perceived in step.left:
            if perceived.who == step.who or perceived.who not in self._by_character:
                continue
            seen = id(perceived.event), perceived.text  # which is another for who was given something
            message = messages.get(seen)
            if message is None or perceived.event is None:
                message = messages[seen] = self._message(perceived)
            for session in tuple(self._by_character[perceived.who]):
                session.show(message)

    def _message(self, perceived: Perception) -> Message:
        event = perceived.event
        if event is None:
            return Message(perceived.text, "action")
        actor = self._world.get(event.actor)
        names = [(name, mark) for name, mark in (
            (actor.name if actor else None, "person"), (event.thing, "item"),
            (event.origin, "place"), (event.destination, "place"),
        ) if name]  # fmt: skip
        return Message(perceived.text, event.kind, names, event)
