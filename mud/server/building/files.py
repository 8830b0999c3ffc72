"""Changes of the world's files for builders: checked before they are written, whole or not at all, and taken back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from mud.errors import LociError, Problem, Refusal, VaultProblem
from mud.server.checks import check_files
from mud.server.reloading import Reloading
from mud.server.wiring import Parts
from mud.storage.building_log import BuildingChange, BuildingLog, FileChange
from mud.storage.documents import examine_document
from mud.storage.files import free_stem, read_if_there, slugify
from mud.storage.merging import merge
from mud.storage.paths import matching
from mud.storage.trash import keep_text
from mud.storage.world_files import FOLDERS
from mud.world.changes import Change, Put, Remove, SetState
from mud.world.narration import Phrase, phrase
from mud.world.things import Kind, Thing

NO_FILE = phrase("building.files.none", "name")
EMPTY = phrase("building.files.empty", "file")
WRONG = phrase("building.files.wrong", "problems")
WOULD_BE_WRONG = phrase("building.files.would_be_wrong", "problems")
CHANGED = phrase("building.files.changed", "file")
NOT_WRITTEN = phrase("building.files.not_written", "why")
NO_CHANGE = phrase("building.files.no_change")
NOTHING_TO_UNDO = phrase("building.undo.nothing")
STAYS = phrase("building.undo.stays", "what", "why")
STAYS_HINT = phrase("building.undo.stays_hint")

MOST_TOLD = 3  # problems in one refusal


class Draft:
    """Files as a builder wants them, with the texts that they have."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self.before: dict[str, str | None] = {}
        self._after: dict[str, str | None] = {}

    def text(self, file: str) -> str:
        """Return the text of a file as it is wanted so far. Raises Refusal when it cannot be read."""
        if file not in self.before:
            self.before[file] = self._after[file] = self._building.read(file)
        return self._after[file] or ""

    def set(self, file: str, text: str | None) -> None:
        """Want another text for a file that is there; None takes it away."""
        self.text(file)
        self._after[file] = text

    def add(self, file: str, text: str) -> None:
        """Want a file that is not there yet."""
        self.before[file], self._after[file] = None, text

    def expect(self, file: str, before: str | None, after: str | None) -> None:
        """Want a text for a file that has, or lacks, a text that is known."""
        self.before[file], self._after[file] = before, after

    @property
    def after(self) -> dict[str, str | None]:
        """The wanted texts that differ from those that are there."""
        return {file: text for file, text in self._after.items() if text != self.before[file]}


class Building:
    """What builders do with files. Between reading and writing nothing is awaited, so that nobody comes in between."""

    def __init__(self, parts: Parts, reloading: Reloading) -> None:
        self.vault, self.world, self.minds = parts.vault, parts.engine.world, parts.minds
        self.log, self.texts = BuildingLog(parts.vault), parts.texts
        self._parts, self._reloading = parts, reloading

    def draft(self) -> Draft:
        return Draft(self)

    @property
    def homes(self) -> Mapping[str, str]:
        """The files of the world's things, by id."""
        return self._parts.world_files.homes

    def file_of(self, thing: Thing) -> str:
        """Return the file of a thing, as a path in the vault. Raises Refusal for one without a file."""
        if home := self._parts.world_files.homes.get(thing.id):
            return home
        slug = next((slug for slug, one in self.minds.definitions.items() if one.id == thing.id), None)
        if slug is None:
            raise Refusal(self.texts.render(NO_FILE, name=thing.name))
        return f"agents/{slug}/agent.md"

    def files(self) -> list[str]:
        """Return all files of the world."""
        paths = [path for folder in FOLDERS for path in matching(self.vault / "world" / folder, "[!.]*.md")]
        return [path.relative_to(self.vault).as_posix() for path in paths]

    def new_file(self, kind: Kind, name: str) -> str:
        """Return an unused file for a thing with this name."""
        folder = next(folder for folder, one in FOLDERS.items() if one is kind)
        taken = {Path(file).stem for file in self.files() if Path(file).parent.name == folder}
        return f"world/{folder}/{free_stem(taken, slugify(name))}.md"

    def read(self, file: str) -> str:
        """Return the text of a file. Raises Refusal while it is empty or missing, as an editor may be writing it."""
        try:
            text = read_if_there(self.vault / file, file=file)
        except VaultProblem as wrong:
            raise Refusal(self._told(WRONG, wrong.problems)) from None
        if not (text or "").strip():
            raise Refusal(self.texts.render(EMPTY, file=file))
        return text or ""

    def problems(self, draft: Draft) -> list[Problem]:
        """Return what would be wrong in the vault with these files, and is not now."""
        instead = {self.vault / file: text for file, text in draft.after.items()}
        found = check_files(self.vault, instead=instead) if instead else []
        known = {(one.file, one.key, one.message) for one in check_files(self.vault)} if found else set()
        return [one for one in found if (one.file, one.key, one.message) not in known]

    def refuse_problems(self, problems: Iterable[Problem]) -> None:
        if problems := list(problems):
            raise Refusal(self._told(WOULD_BE_WRONG, problems))

    def _told(self, how: Phrase, problems: Iterable[Problem]) -> str:
        shown = list(map(str, problems))
        more = ["..."] if shown[MOST_TOLD:] else []
        return self.texts.render(how, problems="; ".join([*shown[:MOST_TOLD], *more]))

    def carry_out(self, builder: str, what: str, draft: Draft, undoes: int = 0) -> list[Change]:
        """Write the files of a draft and take them up.

        Returns the changes of the world that files cannot tell: what was taken away. Raises Refusal when nothing would
        change, something would be wrong, a file has changed since it was read, or the disk takes nothing.
        """
        wanted = draft.after
        if not wanted:
            raise Refusal(self.texts.render(NO_CHANGE))
        self.refuse_problems(self.problems(draft))
        for file in wanted:
            if read_if_there(self.vault / file, file=file) != draft.before[file]:
                raise Refusal(self.texts.render(CHANGED, file=file))
        gone = self._gone(draft)
        where = {id: holder for id, holder in self.world.where.items() if id in gone or holder in gone}
        states = {id: tuple(self.world.live.of(id)) for id in gone}
        files = tuple(FileChange(file, draft.before[file], text) for file, text in wanted.items())
        number = self.log.next_number(builder)
        try:
            now = self._parts.clock.now()
            self.log.carry_out(BuildingChange(builder, number, what, files, where, undoes, states), now)
        except (OSError, LociError) as error:
            raise Refusal(self.texts.render(NOT_WRITTEN, why=getattr(error, "strerror", None) or error)) from None
        self._reloading.wrote_all({self.vault / file: text for file, text in wanted.items()})
        return [Remove(id) for id in gone]

    def _gone(self, draft: Draft) -> list[str]:
        """Return the ids of things that have no file any more."""
        stays = {_id_of(text) for text in draft.after.values() if text is not None}
        before = (draft.before[file] for file, text in draft.after.items() if text is None)
        return [id for text in before if text is not None and (id := _id_of(text)) and id not in stays]

    def keep_aside(self, file: str, text: str) -> str:
        """Keep a text in the trash that could not be written into a file; return its path in the vault."""
        kept = keep_text(self.vault, Path(file).stem, text, self._parts.clock.now())
        return kept.relative_to(self.vault).as_posix()

    def last(self, builder: str) -> BuildingChange:
        """Return what a builder did last. Raises Refusal when that was nothing, or all is taken back."""
        while change := self.log.last(builder):
            if any(self._text(one.file) != one.before for one in change.files):
                return change
            self.log.pass_over(change)  # by hand it is as it was before
        raise Refusal(self.texts.render(NOTHING_TO_UNDO))

    def undo(self, builder: str, change: BuildingChange) -> list[Change]:
        """Take a change back; what others changed in its files since then stays.

        Raises Refusal when that cannot be: then the change stays too, and is taken back no more.
        """
        draft = self.draft()
        try:
            for one in change.files:
                now = self._text(one.file)
                draft.expect(one.file, now, self._before(one, now))
            changes = self.carry_out(builder, change.what, draft, undoes=change.number)
        except Refusal as no:
            self.log.pass_over(change)
            why = self.texts.render(STAYS, what=change.what, why=no.text)
            raise Refusal(why, self.texts.render(STAYS_HINT)) from None
        return [*changes, *self._put_back(change)]

    def made_by(self, change: BuildingChange) -> list[Thing]:
        """Return the things that go when a change is taken back."""
        stay = {_id_of(one.before) for one in change.files if one.before is not None}
        made = {_id_of(one.after) for one in change.files if one.before is None and one.after is not None}
        return [thing for id in made - stay if (thing := self.world.get(id)) is not None]

    def _before(self, one: FileChange, now: str | None) -> str | None:
        """Return a file's text without a change."""
        if now in (one.after, one.before):
            return one.before
        merged = None
        if one.before is not None and one.after is not None and now is not None:
            merged = merge(one.after, one.before, now)
        if merged is None:
            raise Refusal(self.texts.render(CHANGED, file=one.file))
        return merged

    def _text(self, file: str) -> str | None:
        try:
            return read_if_there(self.vault / file, file=file)
        except VaultProblem as wrong:
            raise Refusal(self._told(WRONG, wrong.problems)) from None

    def _put_back(self, change: BuildingChange) -> list[Change]:
        """Put things where they were; what lay in one that comes back, and was taken since, stays with who has it."""
        things, back = self.world.things, {_id_of(one.before) for one in change.files if one.before is not None}
        there = ((id, holder) for id, holder in change.where.items() if id in things and holder in things)
        held = ((id, set(states)) for id, states in change.states.items() if id in things and id in back)
        return [
            *(Put(id, holder) for id, holder in there if id in back or not self._is_carried(id)),
            *(change for id, states in held for change in self._with_states(id, states)),
        ]

    def _with_states(self, id: str, states: set[str]) -> list[Change]:
        """Return the changes after which exactly these states hold of a thing."""
        now = set(self.world.live.of(id))
        return [SetState(id, one, on=one in states) for one in sorted(now ^ states)]

    def _is_carried(self, id: str) -> bool:
        holder = self.world.get(self.world.where.get(id, ""))
        return holder is not None and holder.kind is Kind.CHARACTER


def _id_of(text: str) -> str:
    found = examine_document(text, "")[0].front.get("id")
    return found if isinstance(found, str) else ""
