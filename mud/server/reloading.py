"""Takes up edits of the vault's files while the world runs, and reports what is wrong with them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path

from agents.agent import Agent
from agents.definition import AgentDefinition as Character
from agents.definition import find_location, misplaced, write_definition
from agents.life.scheduler import Scheduler
from agents.llm.profiles import LLMProfile
from agents.memory.history import JOURNALS, unreadable_file
from mud.clock import Clock
from mud.commands import Outcome
from mud.engine.engine import Step, changes_of
from mud.errors import LociError, Problem, VaultProblem
from mud.sanitize import visible
from mud.server.checks import check_files, check_texts, with_mistakes
from mud.server.wiring import Parts
from mud.storage.files import slugify
from mud.storage.paths import SETTINGS, check_held, matching
from mud.storage.watch import LISTENED_AT_ONCE, Watcher
from mud.storage.world_files import FOLDERS, ThingDefinition, assign_ids
from mud.world.changes import Change, Define, Put
from mud.world.matching import plain
from mud.world.narration import phrase
from mud.world.things import Kind, Thing

log = logging.getLogger(__name__)

CHANGED = phrase("app.reload.changed", "problems")
MENDED = phrase("app.reload.mended", "file")
MOVED = phrase("app.reload.moved", "file", "line", "name", "location")

MISSING_FOR = 5.0
"""Seconds that a file may be missing, since an editor may be replacing it. After that, a summary is written again and
an agent without `agent.md` leaves the world.
"""


class Reloading:
    """Keeps a running world in step with its files. `tell` shows the owner a text; without `living` no agent thinks."""

    def __init__(self, parts: Parts, tell: Callable[[str], None], living: Scheduler | None = None) -> None:
        self._parts = parts
        self._tell = tell
        self._living = living
        parts.minds.send_away = self.send_away
        self.watcher = Watcher(self._noticed, parts.clock, parts.vault)
        self._later: set[asyncio.Task[None]] = set()
        self._known = frozenset[Problem]()
        """Problems in people's files that were reported."""
        if not parts.is_large:
            self.knows(parts.problems)
            self._read_before_edits()
        self._in_edit: set[Path] = set()
        """Files that became missing or empty a moment ago; the consequences are not reported yet."""
        self._starts = {slug: one.location for slug, one in parts.minds.definitions.items()}
        """The start location in each agent's file when it was last applied."""
        folders = [
            "config",
            "config/llm",
            "text",
            "text/instinct",
            "instinct/intents",
            "instinct/words",
            "prompts",
            "prompts/summaries",
            "agents",
        ]
        for folder in (*folders, *(f"world/{one}" for one in FOLDERS)):
            self.watcher.watch(parts.vault / folder)
        for agent in parts.minds.in_use():
            self.watch_agent(agent.folder)
        if not parts.is_large:
            for slug in parts.minds.definitions:
                self._watch_closed(slug)

    async def watch(self) -> None:
        """Watch the vault until cancelled. Of a large one much is left until now, as the doors are to open first."""
        if self._parts.is_large:
            await asyncio.to_thread(self._read_before_edits)
            for number, slug in enumerate(list(self._parts.minds.definitions), 1):
                self._watch_closed(slug)
                if number % LISTENED_AT_ONCE == 0:
                    await asyncio.sleep(0)
        await self.watcher.run()

    def _read_before_edits(self) -> None:
        """Read what an edit that breaks a file is held against, and what stays in use then."""
        self._parts.interpreter.get()
        check_texts(self._parts.texts)

    def _watch_closed(self, slug: str) -> None:
        """Watch the folder of an agent that lives, and may have been left closed."""
        minds = self._parts.minds
        definition = minds.definitions.get(slug)
        if definition is not None and (minds.lives(slug) or minds.is_lent(definition)):
            self.watcher.watch(self._parts.vault / "agents" / slug, scanned=False)

    def knows(self, problems: Iterable[Problem]) -> None:
        """Set the problems that are reported elsewhere."""
        self._known = frozenset(problems) - frozenset(self._parts.met)

    def watch_agent(self, folder: Path, *, scanned: bool = True) -> None:
        for watched in (folder, folder / "summaries", folder / "notes", folder / "memories"):
            self.watcher.watch(watched, scanned=scanned)

    def unwatch_agent(self, folder: Path) -> None:
        self.watcher.unwatch(folder)

    def everything(self) -> list[Problem]:
        """Reload everything that people edit; return what is wrong."""
        parts = self._parts
        parts.configuration.load()
        parts.texts.reload()
        parts.interpreter.load()
        self._prompts()
        refused = self._world() + parts.minds.load_definitions()
        for slug in list(parts.minds.definitions):
            refused += self._take_up(slug)
        for agent in parts.minds.in_use():
            self.report(f"{agent.name}: {message}" for message in agent.memory.refresh())
            parts.minds.index_documents(agent)
            parts.minds.import_written(agent.slug)
        self._settings_changed()
        self._fold_due()
        problems = check_files(parts.vault)
        self._known = frozenset(problems)
        self._in_edit.clear()
        self.report(_only_now(refused, problems))
        self.report(message for slug in parts.minds.definitions for message in self._moved(slug))
        return problems

    def _noticed(self, paths: frozenset[Path]) -> None:
        """Take up changed files, unless the vault's folder is away; when it is back, all files are noticed again."""
        if not self._is_away():
            self.changed(paths)

    def changed(self, paths: frozenset[Path]) -> None:
        """Take up changed files; log and report what is wrong in them, and what became wrong elsewhere."""
        parts = self._parts
        refused: list[Problem] = []
        messages: list[str] = []
        by_top: dict[str, list[Path]] = {}
        if parts.vault / SETTINGS in paths:  # this setting decides whether links are followed
            known = self._known
            self.everything()
            self._known = known
        for path in sorted(paths):
            by_top.setdefault(path.relative_to(parts.vault).parts[0], []).append(path)
        for path in by_top.get("config", ()):
            parts.configuration.reload(path)
        self._words(by_top)
        if "world" in by_top:
            refused += self._world()
        for path in by_top.get("agents", ()):
            wrong, told = self._agent_file(path)
            refused += wrong
            messages += told
        if set(by_top) - {"agents"}:
            refused += self._take_up_waiting()
        settings = "config" in by_top or any(path.name == "agent.md" for path in paths)
        if settings:
            self._settings_changed()
        if settings or "prompts" in by_top:
            self._prompts()
            self._fold_due()
        wrong_before = {one.file for one in self._known}
        looked_at = any(_is_checked(path) or path.relative_to(parts.vault).as_posix() in wrong_before for path in paths)
        problems = check_files(parts.vault) if refused or looked_at else list(self._known)
        self.report([*self._news(paths, problems), *_only_now(refused, problems), *messages])

    def wrote(self, path: Path, text: str) -> None:
        """Take up a file at once that the program itself wrote for a person."""
        self.wrote_all({path: text})

    def wrote_all(self, texts: Mapping[Path, str | None]) -> None:
        """Take up several such files; None for one that was taken away."""
        for path, text in texts.items():
            if text is None:
                self.watcher.removed(path)
            else:
                self.watcher.wrote(path, text)
        self.changed(frozenset(texts))

    def _news(self, paths: Iterable[Path], problems: list[Problem]) -> list[str]:
        """Return new problems, known ones in a file just saved, and files that are fixed.

        A problem of a whole file is reported once. While a file is missing or empty, which may be an edit in progress,
        only files just saved are reported.
        """
        vault = self._parts.vault
        gone = {path for path in paths if _is_checked(path) and _gone(path)}
        if gone:
            self._in_edit |= gone
            self._do_later(self._look_again(gone, self._parts.clock))
        half = {path.relative_to(vault).as_posix() for path in self._in_edit if _gone(path)}
        saved = {path.relative_to(vault).as_posix() for path in paths} - half
        fresh = [one for one in problems if one not in self._known and (one.file in saved or not half)]
        again = [one for one in problems if one in self._known and one.file in saved and (one.line or one.key)]
        news = [one for one in problems if one in (*fresh, *again)]
        mended = {one.file for one in self._known} - {one.file for one in problems} - half
        self._known = frozenset(one for one in problems if one in self._known or one in news)
        return [*map(str, news), *(self._parts.texts.render(MENDED, file=visible(file)) for file in sorted(mended))]

    async def _look_again(self, gone: set[Path], clock: Clock) -> None:
        await clock.sleep(MISSING_FOR)
        self._in_edit -= gone
        if not self._is_away():
            self.report(self._news((), check_files(self._parts.vault)))

    def _is_away(self) -> bool:
        try:
            check_held(self._parts.vault)
        except OSError:
            return True
        return False

    def _words(self, tops: Collection[str]) -> None:
        """Reload the texts and the instinct's intents, if any of their files changed."""
        if "text" in tops:
            self._parts.texts.reload()
        if "instinct" in tops:
            self._parts.interpreter.load()

    def _prompts(self) -> None:
        """Reload the prompts; those of reflection are read when needed."""
        self._parts.templates.load()
        self._parts.summary_prompts.load()

    def _settings_changed(self) -> None:
        """Update the parts that do not read their settings on each use."""
        self._parts.recall.look_again()
        if self._living is not None:
            for agent in self._parts.minds.in_use():
                self._living.redefined(agent)
        self._parts.queue.hosts.keep_only(self._parts.configuration.names(LLMProfile))

    def _fold_due(self) -> None:
        """Start the folds that changed settings or prompts make due."""
        for agent in self._parts.minds.in_use():
            self._parts.minds.remembered(agent, ())

    def report(self, lines: Iterable[object]) -> None:
        for line in map(str, lines):
            log.info("%s", line)
            self._tell(self._parts.texts.render(CHANGED, problems=line))

    def _agent_file(self, path: Path) -> tuple[list[Problem], list[str]]:
        inside = path.relative_to(self._parts.vault / "agents").parts
        minds = self._parts.minds
        if inside[-1] == "agent.md" and len(inside) == 2:
            before = minds.definitions.get(inside[0])
            problems, after = self._definition(inside[0]), minds.definitions.get(inside[0])
            moved = before is not None and after is not None and before.location != after.location
            return problems, self._moved(inside[0]) if moved else []
        agent = minds.in_use_by_slug(inside[0])  # one that is opened later reads its files then
        if agent is not None and inside[-1] in JOURNALS:
            return list(unreadable_file(agent.folder, path)), []
        if agent is None or len(inside) != 3:
            return [], []
        if inside[1] == "memories":
            minds.import_written(agent.slug)
        if inside[1] == "summaries" and path.suffix == ".md":
            if _gone(path):
                self._do_later(self._restore(agent.slug, self._parts.clock))
            wrong = list(unreadable_file(agent.folder, path))  # before `reload_summary` repairs it
            told = agent.memory.reload_summary(path)
            minds.index_documents(agent)
            return wrong, [f"{agent.name}: {message}" for message in told]
        if inside[1] == "notes" and path.suffix == ".md":
            minds.index_documents(agent)
            return list(unreadable_file(agent.folder, path)), []
        return [], []

    def _definition(self, slug: str) -> list[Problem]:
        minds = self._parts.minds
        if not self._file_of(slug).exists():
            if slug not in minds.definitions:
                return []  # it was moved to the trash together with its agent
            self._do_later(self._miss(slug, self._parts.clock))
        problems = minds.load_definition(slug)
        return problems if problems or slug not in minds.definitions else self._take_up(slug)

    def _take_up_waiting(self) -> list[Problem]:
        """Take up agents' files that were refused because of other files, such as a missing voice or location."""
        minds = self._parts.minds
        waiting = [slug for slug, draft in minds.drafts.items() if draft is not minds.definitions.get(slug)]
        return [problem for slug in waiting for problem in self._definition(slug)]

    def _moved(self, slug: str) -> list[str]:
        """Return a notice that an agent's file names another location now, and that this does not move the agent."""
        definition, locations = self._parts.minds.definitions[slug], self._parts.engine.world.locations()
        place, before = (find_location(one or "", locations) for one in (definition.location, self._starts.get(slug)))
        if place is None or before is None or place == before:  # the place of before may have got another name
            return []
        line = definition.lines.get("location", 0)
        say = self._parts.texts.render
        return [say(MOVED, file=visible(definition.file), line=line, name=definition.name, location=place.name)]

    def _file_of(self, slug: str) -> Path:
        return self._parts.vault / "agents" / slug / "agent.md"

    def _take_up(self, slug: str) -> list[Problem]:
        """Apply an `agent.md`: a new agent enters the world, an existing one is updated."""
        minds, engine = self._parts.minds, self._parts.engine
        if any(not one.id for one in minds.definitions.values()):
            minds.roster.leave_out_new(with_mistakes(check_files(self._parts.vault)))
        if slug not in minds.definitions:
            return []  # reported by `check_files`
        try:
            minds.assign_ids(engine.world.next_id, self.watcher.wrote)
            # Also for agents that do not enter yet: an id that stands in a file must not be given away.
            engine.world.reserve(max(int(one.id[1:]) + 1 for one in minds.definitions.values()))
            definition = minds.definitions[slug]
            lent = minds.is_lent(definition) and engine.world.location_of(definition.id) is not None
            if not definition.person and not minds.lives(slug) and not lent:
                return self._let_in(slug)
        except (LociError, OSError) as error:
            for one in [one for one, made in minds.definitions.items() if not made.id or one == slug]:
                if not minds.lives(one):
                    del minds.definitions[one]
            return [Problem(f"agents/{slug}/agent.md", 0, "", f"nobody could come in ({error})")]
        thing = definition.thing()
        known = engine.world.get(thing.id)
        if known is not None and known.name != thing.name:
            self._parts.queue.budget.rename(known.name, thing.name)
        if known != thing and (known is not None or not definition.person):  # who comes in is defined then
            engine.happen(thing, Outcome("", changes=(Define(thing),)))
        agent = minds.in_use_by_slug(slug)
        if agent is not None and self._living is not None:
            self._living.redefined(agent)
        return []

    def _let_in(self, slug: str) -> list[Problem]:
        """Bring a new agent into the world, where it was when it left or else where its file says."""
        parts, minds, world = self._parts, self._parts.minds, self._parts.engine.world
        definition = minds.definitions[slug]
        if definition.id in (*world.elsewhere, *parts.unread.live.get("journeys", ())):
            return []  # it is in another world
        place = world.location(world.away.get(definition.id, ""))
        place = place or find_location(definition.location or "", world.locations())
        if place is None:
            del minds.definitions[slug]
            return [misplaced(definition, world.locations())]
        if minds.lends:
            self.bring_in(slug, place)
            return []
        agent = minds.open(slug)
        if definition.id in world.away:  # what it perceived while its folder was being renamed is in the ledger only
            for record in parts.ledger.after(agent.memory.last_source):
                minds.recover(record)
        self._starts[slug] = definition.location
        self.bring_in(slug, place)
        return []

    def bring_in(self, slug: str, place: Thing, more: Sequence[Change] = (), memory: str = "") -> Step:
        """Let somebody live in a place from now on; `more` and `memory` as in `Engine.enter`. Raises LociError."""
        parts, minds = self._parts, self._parts.minds
        definition = minds.definitions[slug]
        agent = None if minds.is_lent(definition) else minds.open(slug, returns=True)
        parts.engine.witness(definition.id)
        step = parts.engine.enter(definition.thing(), place.id, more, memory)
        if step.failed:
            parts.engine.witness(definition.id, keeps=False)
            if agent is not None:
                minds.let_go(agent)
            raise LociError(step.reply)
        if agent is not None:
            self.watch_agent(agent.folder)
            self._do_later(minds.catch_up(agent))
            if self._living is not None and not definition.person:
                self._living.begin(agent)
        return step

    async def _miss(self, slug: str, clock: Clock) -> None:
        """Remove an agent whose `agent.md` is still missing after `MISSING_FOR`."""
        await clock.sleep(MISSING_FOR)
        minds, definition = self._parts.minds, self._parts.minds.definitions.get(slug)
        if definition is None or definition.person or self._file_of(slug).exists():
            return
        if lent := minds.is_lent(definition) and minds.bring_home is not None:
            try:
                await minds.bring_home(definition.id)
            except LociError as error:
                log.warning("%s: %s; the ledger has what it lacks", definition.name, error)
        if not (lent or minds.lives(slug)) or self._file_of(slug).exists():
            return
        try:
            self.send_away(definition)
        except LociError:  # the disk is full, as logged; try again
            self._do_later(self._miss(slug, clock))
            return
        self.report([f"{definition.name} has left the world: agents/{slug}/agent.md is gone"])
        self.report(self._newcomers())

    def _newcomers(self) -> list[Problem]:
        """Take up files without an agent: the id in one may have been blocked by an agent that has left."""
        slugs = [path.parent.name for path in matching(self._parts.vault / "agents", "*/agent.md")]
        new = (slug for slug in slugs if slug not in self._parts.minds.definitions)
        return [problem for slug in new for problem in self._definition(slug)]

    def bring_back(self, agent: Agent) -> None:
        """Recreate a player's missing folder with the entries that the ledger has; failures are logged and retried."""
        parts, one, before = self._parts, agent.definition, agent.memory.total + agent.memory.waiting
        others = [draft for draft in parts.minds.drafts.values() if draft.id == one.id and draft.slug != one.slug]
        if not one.person or others or agent.folder.exists() or agent.compactor.busy:
            return
        agent.memory.close()  # before the folder is there: waiting entries have numbers that follow the lost ones
        try:
            folder, text = parts.vault / "agents", one.description
            write_definition(folder, one.name, one.id, person=True, description=text, slug=one.slug)
            agent.life.reopen()
            self._recover()
        except (LociError, OSError) as error:
            log.warning("agents/%s is gone and cannot be made anew: %s", one.slug, error)
            return
        lost = max(0, before - agent.memory.total - agent.memory.waiting)
        told = f"; {lost:,} that it has not are lost" if lost else ""
        self.report([f"{_made_anew(one.slug)}{told}"])
        self._do_later(parts.minds.catch_up(agent))

    def brought_back(self, name: str) -> str:
        """Recreate the folder, removed while the world was not running, of a person who comes back.

        Returns:
            Its slug; empty if no person without a folder has this name.

        Raises:
            LociError, OSError: it cannot be written.
        """
        parts, slug = self._parts, slugify(name)
        own = self._id_without_folder(name, slug)
        if not own:
            return ""
        write_definition(parts.vault / "agents", name, own, person=True, slug=slug)
        if problems := parts.minds.load_definition(slug):
            raise VaultProblem(problems)
        self._recover()
        self.report([_made_anew(slug)])
        return slug

    def _id_without_folder(self, name: str, slug: str) -> str:
        """Return the id of a person with this name, known from the ledger, who has no folder."""
        parts = self._parts
        used = {one.id for one in (*parts.minds.definitions.values(), *parts.minds.drafts.values())}
        if (parts.vault / "agents" / slug).exists():
            return ""
        for thing in parts.engine.world.things.values():
            if thing.id not in used and _is_person(thing, name):
                return thing.id
        homes = {one for one, home in parts.minds.roster.homes.items() if home == slug} - used
        if not homes:  # without reading the ledger
            return ""
        changes = (change for record in parts.ledger.after(0) for change in changes_of(record))
        defined = {one.thing.id: one.thing for one in changes if isinstance(one, Define) and one.thing.id in homes}
        return next((one for one, thing in defined.items() if _is_person(thing, name)), "")

    def _recover(self) -> None:
        """Append to all archives what the ledger has and they lack."""
        minds = self._parts.minds
        owed, minds.owed = minds.owed, True
        for record in self._parts.ledger.after(0):
            minds.recover(record)
        minds.owed = owed

    def send_away(self, definition: Character) -> None:
        """Remove a character from the world for good.

        Raises:
            LociError: the step could not be written; the character stays.
        """
        parts, agent = self._parts, self._parts.minds.in_use_by_slug(definition.slug)
        if parts.engine.world.location_of(definition.id) is not None:
            step = parts.engine.leave(definition.thing())
            if step.failed:
                raise LociError(step.reply)
        parts.engine.witness(definition.id, keeps=False)
        folder = self._file_of(definition.slug).parent
        if not folder.exists():
            self.watcher.lost(folder)
        if agent is None:
            if self._living is not None:
                self._living.drop_unopened(definition.slug)
            parts.minds.strike(definition.slug)
            return
        if self._living is not None:
            self._living.drop(agent)
        parts.minds.let_go(agent)

    def _world(self) -> list[Problem]:
        """Take up the world's files: each new or changed thing becomes a step; a file with a mistake is ignored."""
        files, problems = self._load_world()
        world, wrong = self._parts.engine.world, {problem.file for problem in problems}
        for one in files:
            known = world.get(one.thing.id)
            # The thing that it lies in may have been refused until now.
            lost = (
                one.thing.kind is Kind.ITEM and one.thing.id not in world.where and one.thing.id not in world.live.gone
            )
            nowhere, same = known is None or lost, known is not None and world.as_filed(known.id) == one.thing
            if not one.thing.id or one.file in wrong or (same and not (nowhere and one.place)):
                continue
            changes: list[Change] = [Define(one.thing)]
            if nowhere and one.place is not None:
                changes.append(Put(one.thing.id, one.place))
            text = self._parts.world_files.texts([one.file])
            self._parts.engine.happen(one.thing, Outcome("", changes=tuple(changes)), text)
        return problems

    def _load_world(self) -> tuple[list[ThingDefinition], list[Problem]]:
        vault, world_files = self._parts.vault, self._parts.world_files
        files, problems = world_files.load()
        wrong = with_mistakes(problems)
        new = [one for one in files if one.thing.id or one.file not in wrong]
        if all(one.thing.id for one in new):
            return files, problems
        try:
            assign_ids(vault, new, self._parts.engine.world.next_id, self.watcher.wrote, world_files.homes)
        except (LociError, OSError) as error:
            return files, [*problems, Problem("world", 0, "id", f"an id could not be written ({error})")]
        return world_files.load()

    async def stop(self) -> None:
        for task in self._later:
            task.cancel()
        await asyncio.gather(*self._later, return_exceptions=True)

    def _do_later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def _restore(self, slug: str, clock: Clock) -> None:
        """Write summaries again that are still missing after `MISSING_FOR`."""
        await clock.sleep(MISSING_FOR)
        agent = self._parts.minds.by_slug(slug)
        if agent is None or not self._file_of(slug).exists():
            return  # the whole folder is gone; a summary must not recreate it
        self.report(f"{agent.name}: {message}" for message in agent.memory.restore_missing())


def _only_now(refused: Iterable[Problem], problems: Iterable[Problem]) -> list[Problem]:
    """Return problems of this run only, such as a changed id in an otherwise valid file."""
    wrong = {problem.file for problem in problems}
    return [problem for problem in dict.fromkeys(refused) if problem.file not in wrong]


def _made_anew(slug: str) -> str:
    return f"agents/{slug} was gone and is made anew, with the memories that the ledger has"


def _is_person(thing: Thing, name: str) -> bool:
    return thing.kind is Kind.CHARACTER and not thing.thinks and plain(thing.name) == plain(name)


def _is_checked(path: Path) -> bool:
    """Return whether `check_files` reads a file; summaries and notes are reported by the memory."""
    own = path.parent.name in ("summaries", "notes") and path.parent.parent.name != "prompts"
    return path.suffix == ".md" and not own


def _gone(path: Path) -> bool:
    """Return whether a file is missing or empty."""
    try:
        return path.stat().st_size == 0
    except OSError:
        return True
