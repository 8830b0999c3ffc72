"""Answers what commands ask about accounts, roles, bans and passwords. What is decided holds at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from mud.commands import LONGEST_SHOWN, Outcome
from mud.errors import Refusal
from mud.portal.mcp import missing
from mud.portal.session import Session
from mud.registry import suggest
from mud.server.people import People, look_through
from mud.server.questions import check_may_ask
from mud.storage.accounts import ROLES, Account, holds, network_or_none
from mud.storage.texts import TextStore
from mud.world.events import Request
from mud.world.matching import plain
from mud.world.narration import Phrase, listed, phrase, shortened
from mud.world.roles import Role

ONLINE = phrase("app.accounts.online", "name", "role", "doors")
TERMINAL = phrase("app.accounts.terminal")
SEEN = phrase("app.accounts.seen", "name", "role", "when")
NEVER = phrase("app.accounts.never", "name", "role")
BANNED = phrase("app.accounts.banned", "name", "role")
GUEST = phrase("app.accounts.guest", "name", "doors", "address")
ADDRESSES = phrase("app.accounts.addresses", "addresses")
NONE = phrase("app.accounts.none")
MORE = phrase("app.accounts.more", "count")
WHICH = phrase("app.accounts.which")
CREATED = phrase("app.accounts.created", "name")
NO_SUCH = phrase("app.accounts.no_such", "name")
NEAR = phrase("app.accounts.near", "name")
ONESELF = phrase("app.accounts.oneself")
ROLE_SET = phrase("app.accounts.role_set", "name", "role")
ROLE_TOLD = phrase("app.accounts.role_told", "role")
WHICH_ROLE = phrase("app.accounts.which_role", "roles")
KICKED = phrase("app.accounts.kicked", "name")
SENT_AWAY = phrase("app.accounts.sent_away")
NOT_HERE = phrase("app.accounts.not_here", "name")
BANNED_NOW = phrase("app.accounts.banned_now", "name")
GUEST_BAN = phrase("app.accounts.guest_ban", "name")
ADDRESS_HINT = phrase("app.accounts.address_hint", "address")
UNBANNED = phrase("app.accounts.unbanned", "name")
NOT_BANNED = phrase("app.accounts.not_banned", "name")
OLD = phrase("app.password.old")
NEW = phrase("app.password.new", "name")
AGAIN = phrase("app.password.again")
DIFFERENT = phrase("app.password.different")
UNCHANGED = phrase("app.password.unchanged")
CHANGED = phrase("app.password.changed", "name")
FIRST = phrase("app.password.first", "name", "role")
TAKEN = phrase("app.password.taken", "name")
NO_ACCOUNT = phrase("app.password.no_account")
ANEW = phrase("app.password.anew")
TOKEN = phrase("app.accounts.token", "name", "token")
TOKEN_OFF = phrase("app.accounts.token_off", "name")
TOKEN_USELESS = phrase("app.accounts.token_useless")
NO_TOKEN = phrase("app.accounts.no_token")
WEB = phrase("app.accounts.web", "address")
WEB_SHUT = phrase("app.accounts.web_shut")
WEB_ACCOUNT = phrase("app.accounts.web_account")
NOT_WRITTEN = phrase("app.accounts.not_written", "why")

MOST_SHOWN = 100


class AccountRequest:
    """A request about accounts, with who made it.

    Args:
        asker: the session where it was typed; its role was checked, and is checked again after each wait.
    """

    def __init__(self, people: People, texts: TextStore, asker: Session, request: Request) -> None:
        self.people, self.asker, self.args = people, asker, request.args
        self._texts = texts

    def say(self, phrase: Phrase, /, **places: object) -> str:
        return self._texts.render(phrase, **places)

    def account(self, name: str) -> Account:
        """Return the account with this name. Raises Refusal."""
        found = self.people.accounts.find(name)
        if found is None:
            near = suggest(name, [one.name for one in self.people.accounts])
            shown = shortened(name, LONGEST_SHOWN)
            raise Refusal(self.say(NO_SUCH, name=shown), self.say(NEAR, name=near) if near else "")
        return found

    def not_oneself(self, account: Account) -> None:
        """Refuse what would shut the asker out."""
        if account.name == self.asker.account or account.character == self.asker.own:
            raise Refusal(self.say(ONESELF))

    def sessions(self, account: Account) -> list[Session]:
        return [one for one in self.people.sessions if one.account == account.name]

    async def private(self, question: str) -> str:
        """Ask for a private line and return it. Raises Refusal when there is none, or its typist may no longer ask."""
        check_may_ask(self.asker, self.say)
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        role = self.asker.role

        def take(line: str | None) -> None:
            if not answer.done():
                answer.set_result(line)

        self.asker.ask(question, take)
        line = await answer
        if not line or self.asker.role < role:
            raise Refusal(self.say(UNCHANGED))
        return line

    async def new_password(self, name: str) -> str:
        """Ask twice for a new password, anew until one will do, and return it. Raises Refusal when none is given.

        Whoever was refused types the next try at once; it must not be taken for a command.
        """
        from mud.portal.authentication import check_password  # a world without a network needs no password hashes

        while True:
            password = await self.private(self.say(NEW, name=name))
            try:
                check_password(password)
            except Refusal as no:
                self.asker.tell(no.text)
                continue
            if await self.private(self.say(AGAIN)) == password:
                return password
            self.asker.tell(self.say(DIFFERENT))

    async def old_password(self, account: Account) -> None:
        """Ask for the password of an account, anew until it is right. Raises Refusal when none is given."""
        while True:
            password = await self.private(self.say(OLD))
            try:
                await self.people.authenticator.login(self.asker.address, account.name, password)
                return
            except Refusal as no:
                self.asker.tell(no.text)


async def _accounts(ask: AccountRequest) -> Outcome:
    what, _, name = ask.args["what"].partition(" ")
    if what.casefold() == "new" and name:
        clean = ask.people.free_name(name)
        password = await ask.new_password(clean)
        made = await ask.people.authenticator.create(clean, Role.PLAYER, password)
        return Outcome(ask.say(CREATED, name=made.name))
    if what:
        raise Refusal(ask.say(WHICH))
    return Outcome("\n".join(_list(ask)))


def _list(ask: AccountRequest) -> list[str]:
    people = ask.people
    doors: dict[str, set[str]] = {}
    for one in people.sessions:
        own = None if one.account or one.role is Role.GUEST else people.accounts.of(one.own)
        by = f"{one.door} ({one.address})" if one.address else one.door or ask.say(TERMINAL)
        doors.setdefault(own.name if own else one.account, set()).add(by)
    all = sorted(people.accounts, key=lambda one: one.name not in doors)
    lines = [_describe(ask, one, listed(sorted(doors.get(one.name, ())))) for one in all[:MOST_SHOWN]]
    if len(all) > MOST_SHOWN:
        lines.append(ask.say(MORE, count=len(all) - MOST_SHOWN))
    guests = [one for one in people.sessions if one.role is Role.GUEST]
    lines += [ask.say(GUEST, name=_name(ask, one), doors=one.door, address=one.address) for one in guests]
    if people.accounts.banned_addresses:
        lines.append(ask.say(ADDRESSES, addresses=listed(sorted(people.accounts.banned_addresses))))
    return lines or [ask.say(NONE)]


def _describe(ask: AccountRequest, account: Account, doors: str) -> str:
    told = {"name": account.name, "role": account.role.name.lower()}
    if account.banned:
        return ask.say(BANNED, **told)
    if doors:
        return ask.say(ONLINE, **told, doors=doors)
    if account.seen:
        return ask.say(SEEN, **told, when=account.seen[:16].replace("T", " "))
    return ask.say(NEVER, **told)


def _name(ask: AccountRequest, session: Session) -> str:
    character = ask.people.world.get(session.own)
    return character.name if character is not None else session.own


async def _role(ask: AccountRequest) -> Outcome:
    name, _, wanted = ask.args["name"].rpartition(" ")
    role = ROLES.get(wanted.casefold())
    if role is None or not name:
        raise Refusal(ask.say(WHICH_ROLE, roles=listed(list(ROLES))))
    account = ask.account(name)
    ask.not_oneself(account)
    ask.people.accounts.write(replace(account, role=role))
    for session in ask.sessions(account):
        session.role = role
        session.tell(ask.say(ROLE_TOLD, role=wanted.casefold()))
    look_through(ask.people.sessions, ask.people.resting)
    return Outcome(ask.say(ROLE_SET, name=account.name, role=wanted.casefold()))


async def _kick(ask: AccountRequest) -> Outcome:
    name = ask.args["name"]
    named = [one for one in ask.people.sessions if plain(name) in (plain(one.account), plain(_name(ask, one)))]
    there = [one for one in named if one.door]
    if not there:
        raise Refusal(ask.say(NOT_HERE, name=shortened(name, LONGEST_SHOWN)))
    if ask.asker in there:
        raise Refusal(ask.say(ONESELF))
    called = _name(ask, there[0])  # a guest is known to nobody once they are gone
    ask.people.send_away(there, ask.say(SENT_AWAY))
    return Outcome(ask.say(KICKED, name=called))


async def _ban(ask: AccountRequest) -> Outcome:
    who, people = ask.args["who"], ask.people
    network = network_or_none(who)
    if network is None:
        if guests := [one for one in people.sessions if not one.account and plain(_name(ask, one)) == plain(who)]:
            hint = ask.say(ADDRESS_HINT, address=guests[0].address) if guests[0].address else ""
            raise Refusal(ask.say(GUEST_BAN, name=shortened(who, LONGEST_SHOWN)), hint)
        account = ask.account(who)
        ask.not_oneself(account)
        people.accounts.write(replace(account, banned=True))
        people.send_away(ask.sessions(account), ask.say(SENT_AWAY))
        return Outcome(ask.say(BANNED_NOW, name=account.name))
    if ask.asker.address and holds(str(network), ask.asker.address):
        raise Refusal(ask.say(ONESELF))
    people.accounts.ban_addresses(people.accounts.banned_addresses | {_written(str(network))})
    people.send_away(people.from_address(str(network)), ask.say(SENT_AWAY))
    return Outcome(ask.say(BANNED_NOW, name=_written(str(network))))


def _written(network: str) -> str:
    """Return a network as people write it: a single address without its length."""
    return network.removesuffix("/32").removesuffix("/128")


async def _unban(ask: AccountRequest) -> Outcome:
    who, accounts = ask.args["who"], ask.people.accounts
    network = network_or_none(who)
    if network is None:
        account = ask.account(who)
        if not account.banned:
            raise Refusal(ask.say(NOT_BANNED, name=account.name))
        accounts.write(replace(account, banned=False))
        return Outcome(ask.say(UNBANNED, name=account.name))
    rest = frozenset(one for one in accounts.banned_addresses if network_or_none(one) != network)
    if rest == accounts.banned_addresses:
        raise Refusal(ask.say(NOT_BANNED, name=_written(str(network))))
    accounts.ban_addresses(rest)
    return Outcome(ask.say(UNBANNED, name=_written(str(network))))


async def _password(ask: AccountRequest) -> Outcome:
    people, asker = ask.people, ask.asker
    named = people.accounts.find(ask.args["name"]) if ask.args["name"] and asker.role is Role.OWNER else None
    own = people.accounts.find(asker.account) if asker.account else people.accounts.of(asker.own)
    account = named or own
    if account is None:
        return await _first_password(ask)
    if asker.account == account.name:  # who found a keyboard that was left alone cannot take the account over
        await ask.old_password(account)
    await people.authenticator.set_password(account.name, await ask.new_password(account.name))
    others = [one for one in ask.sessions(account) if one is not asker]
    people.send_away(others, ask.say(ANEW))
    return Outcome(ask.say(CHANGED, name=account.name))


async def _first_password(ask: AccountRequest) -> Outcome:
    """Make an account for the character of the owner who started the program."""
    asker, people = ask.asker, ask.people
    character = people.world.get(asker.own)
    if asker.door or asker.role is not Role.OWNER or character is None:
        raise Refusal(ask.say(NO_ACCOUNT))
    if people.accounts.find(character.name) is not None:
        raise Refusal(ask.say(TAKEN, name=character.name))
    password = await ask.new_password(character.name)
    made = await people.authenticator.create(character.name, Role.OWNER, password, character.id)
    return Outcome(ask.say(FIRST, name=made.name, role=made.role.name.lower()))


async def _token(ask: AccountRequest) -> Outcome:
    people, asker = ask.people, ask.asker
    name, off = _token_of(ask.args["what"])
    own = people.accounts.find(asker.account) if asker.account else people.accounts.of(asker.own)
    account = ask.account(name) if name and asker.role is Role.OWNER else own
    if account is None:
        raise Refusal(ask.say(NO_TOKEN))
    if off:
        people.accounts.write(replace(account, token=""))
        return Outcome(ask.say(TOKEN_OFF, name=account.name))
    if asker.account:  # a token outlasts the session: who found a keyboard that was left alone makes none
        await ask.old_password(ask.account(asker.account))
    made = people.authenticator.new_token(ask.account(account.name))
    asker.tell(ask.say(TOKEN, name=account.name, token=made), "news")  # an answer would be kept in the ledger
    return Outcome(ask.say(TOKEN_USELESS) if missing() else "")


def _token_of(what: str) -> tuple[str, bool]:
    """Split what stands behind `@token` into the name of an account and whether its token ends."""
    *name, last = what.split() or [""]
    return (" ".join(name), True) if last.casefold() == "off" else (what, False)


async def _web(ask: AccountRequest) -> Outcome:
    if ask.asker.account:  # which would lead the character of whoever started the program
        raise Refusal(ask.say(WEB_ACCOUNT))
    address = ask.people.doors.owner_address
    if address is None:
        raise Refusal(ask.say(WEB_SHUT))
    ask.asker.tell(ask.say(WEB, address=address()), "news")  # an answer would be kept in the ledger
    return Outcome("")


ANSWERS: dict[str, Callable[[AccountRequest], Awaitable[Outcome]]] = {
    "accounts": _accounts, "role": _role, "kick": _kick, "ban": _ban, "unban": _unban, "password": _password,
    "token": _token, "web": _web,
}  # fmt: skip


async def answer(people: People, texts: TextStore, request: Request) -> Outcome:
    """Answer a request about accounts. Raises Refusal and LociError."""
    asker = people.sessions.asker(request.step)
    least = Role.PLAYER if request.name in ("password", "token") else Role.OWNER
    if asker is None or asker.role < least:  # it is gone, or its role was taken away since it was typed
        raise Refusal(texts.render(UNCHANGED))
    try:
        return await ANSWERS[request.name](AccountRequest(people, texts, asker, request))
    except OSError as error:
        raise Refusal(texts.render(NOT_WRITTEN, why=error.strerror or str(error))) from None
