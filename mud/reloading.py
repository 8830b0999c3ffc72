"""Edits of the vault while the world runs: which part reads a changed file again, and who is told when it is wrong."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Coroutine, Iterable
from pathlib import Path

from agents.definition import Definition as Character
from agents.definition import find_location, misplaced
from agents.living import Living
from agents.llm.profiles import LLMProfile
from agents.memory.summaries import TIERS
from agents.roster import at_other_places
from mud.build import Parts, unknown_names
from mud.checks import names_said
from mud.clock import Clock
from mud.commands._command import Outcome
from mud.errors import LociError, Problem
from mud.storage.paths import SETTINGS
from mud.storage.watch import Watcher
from mud.storage.world_files import Definition, assign_ids
from mud.world.changes import Change, Define, Put
from mud.world.narration import phrase

log = logging.getLogger(__name__)

CHANGED = phrase("app.reload.changed", "problems")
MENDED = phrase("app.reload.mended", "file")
MOVED = phrase("app.reload.moved", "file", "line", "name", "location")

MISSING_FOR = 5.0
"""Seconds that a file may be gone before that counts, as an editor may be replacing it. A summary is written again
then, and an agent whose `agent.md` is gone leaves the world."""


class Reloading:
    """Keeps a running world and its vault alike.

    Args:
        parts: the opened vault.
        tell: shows a text to every owner on line.
        living: makes agents think; None when nobody does.
    """

    def __init__(self, parts: Parts, tell: Callable[[str], None], living: Living | None = None) -> None:
        self._parts = parts
        self._tell = tell
        self._living = living
        parts.minds.send_away = self.send_away
        self.watcher = Watcher(self.changed, parts.clock)
        self._later: set[asyncio.Task[None]] = set()
        told = frozenset(parts.problems)
        self._known: defaultdict[str, frozenset[Problem]] = defaultdict(lambda: told)
        """What is wrong in each part of the vault that is always read as a whole, as it was last told."""
        self._wrong = {problem.file for problem in told}
        """Files in which something was wrong when they were read last."""
        self._starts = {slug: one.location for slug, one in parts.minds.definitions.items()}
        """Where everybody's file said they start, when it counted."""
        for folder in ("config", "config/llm", "text", "text/instinct", "prompts", "prompts/summaries", "agents"):
            self.watcher.watch(parts.vault / folder)
        for folder in ("locations", "items", "characters"):
            self.watcher.watch(parts.vault / "world" / folder)
        for agent in parts.minds.opened():
            self.watch_agent(agent.folder)

    def watch_agent(self, folder: Path) -> None:
        """Watch what people edit in an agent's folder."""
        for watched in (folder, folder / "summaries", folder / "notes", folder / "memories"):
            self.watcher.watch(watched)

    def everything(self) -> list[Problem]:
        """Read all that people edit again; return what is wrong."""
        parts = self._parts
        problems = parts.configuration.load()
        for top, read in (("text", parts.texts.reload), ("prompts", self._prompts), ("world", self._world)):
            problems += read()
            self._known[top] = frozenset(problems)
        problems += parts.minds.load_definitions()
        for slug in list(parts.minds.definitions):
            problems += self._take_up(slug)
        for agent in parts.minds.opened():
            self._report(f"{agent.name}: {message}" for message in agent.memory.refresh())
            parts.minds.index_documents(agent)
            wrong = parts.minds.seed(agent.slug)
            self._known[f"memories of {agent.slug}"] = frozenset(wrong)
            problems += wrong
        problems += at_other_places(problems, self._settings_changed())
        self._known["names"] = frozenset(problems)
        self._fold_due()
        problems += at_other_places(problems, self._names_nothing())
        self._wrong = {problem.file for problem in problems}
        self._report(message for slug in parts.minds.definitions for message in self._moved(slug))
        return problems

    def changed(self, paths: frozenset[Path]) -> None:
        """Take up changed files; what is wrong in them is logged and told, and what became wrong elsewhere."""
        problems: list[Problem] = []
        messages: list[str] = []
        by_top: dict[str, list[Path]] = {}
        if self._parts.vault / SETTINGS in paths:  # what was behind a link may be read now, or no more
            problems += self.everything()
        for path in sorted(paths):
            by_top.setdefault(path.relative_to(self._parts.vault).parts[0], []).append(path)
        for path in by_top.get("config", ()):
            problems += self._parts.configuration.reload(path)
        if "text" in by_top:
            problems += self._news("text", self._parts.texts.reload(), by_top["text"])
            self._take_up_voices()
            voices = names_said(self._parts.texts, self._parts.minds.drafts.values())
            problems += self._news("voices", voices, by_top["text"])
        if "world" in by_top:
            problems += self._news("world", self._world(), by_top["world"])
        for path in by_top.get("agents", ()):
            wrong, told = self._agent_file(path)
            problems += wrong
            messages += told
        naming = [*by_top.get("config", ()), *(path for path in by_top.get("agents", ()) if path.name == "agent.md")]
        if naming:
            problems += at_other_places(problems, self._news("names", self._settings_changed(), naming))
        if naming or "prompts" in by_top:
            problems += self._news("prompts", self._prompts(), by_top.get("prompts", ()))
        self._fold_due()
        self._report([*map(str, dict.fromkeys(problems)), *self._mended(paths, problems), *messages])

    def _mended(self, paths: Iterable[Path], problems: Iterable[Problem]) -> list[str]:
        """Return which of the files just saved were wrong and are not any more; an empty one may be half an edit."""
        saved = {path.relative_to(self._parts.vault).as_posix() for path in paths if not _gone(path)}
        wrong = {problem.file for problem in problems}
        mended = (self._wrong & saved) - wrong
        self._wrong = (self._wrong | wrong) - mended
        return [self._parts.texts.render(MENDED, file=file) for file in sorted(mended)]

    def _news(self, part: str, problems: list[Problem], paths: Collection[Path]) -> list[Problem]:
        """Return of all that is wrong in a part of the vault what was not told yet, or is in a file just saved."""
        saved = {path.relative_to(self._parts.vault).as_posix() for path in paths}
        known, self._known[part] = self._known[part], frozenset(problems)
        return [problem for problem in problems if problem not in known or problem.file in saved]

    def _prompts(self) -> list[Problem]:
        return self._parts.templates.load() + self._parts.summary_prompts.load()

    def _settings_changed(self) -> list[Problem]:
        """Have the parts that do not look at their settings by themselves do so."""
        self._parts.recall.look_again()
        if self._living is not None:
            for agent in self._parts.minds.opened():
                self._living.redefined(agent)
        self._parts.queue.hold_to(self._parts.configuration.names(LLMProfile))
        return unknown_names(self._parts)

    def _fold_due(self) -> None:
        """Begin the folds that a changed window makes due."""
        for agent in self._parts.minds.opened():
            self._parts.minds.remembered(agent.slug, ())

    def _report(self, lines: Iterable[str]) -> None:
        for line in lines:
            log.info("%s", line)
            self._tell(self._parts.texts.render(CHANGED, problems=line))

    def _agent_file(self, path: Path) -> tuple[list[Problem], list[str]]:
        """Take up one file in an agent's folder."""
        inside = path.relative_to(self._parts.vault / "agents").parts
        minds = self._parts.minds
        if inside[-1] == "agent.md" and len(inside) == 2:
            before = minds.definitions.get(inside[0])
            problems, after = self._definition(inside[0]), minds.definitions.get(inside[0])
            moved = before is not None and after is not None and before.location != after.location
            return problems, self._moved(inside[0]) if moved else []
        agent = minds.by_slug(inside[0])
        if agent is None or len(inside) != 3:
            return [], []
        if inside[1] == "memories":
            return self._news(f"memories of {agent.slug}", minds.seed(agent.slug), [path]), []
        if inside[1] == "summaries" and path.suffix == ".md":
            if _gone(path):
                self._do_later(self._restore(agent.slug, self._parts.clock))
            told = agent.memory.reload_summary(path)
            minds.index_documents(agent)
            return [], [f"{agent.name}: {message}" for message in told]
        if inside[1] == "notes":
            minds.index_documents(agent)
        return [], []

    def _definition(self, slug: str) -> list[Problem]:
        """Take up a new, edited or vanished `agent.md`."""
        minds = self._parts.minds
        if not self._file_of(slug).exists():
            if slug not in minds.definitions:
                return []  # it was put away, and so was whoever it was
            self._do_later(self._miss(slug, self._parts.clock))
        problems = minds.load_definition(slug)
        return problems if problems or slug not in minds.definitions else self._take_up(slug)

    def _take_up_voices(self) -> None:
        """Take up the files that nothing was wrong with but a voice, if there are texts for it now."""
        minds = self._parts.minds
        for slug in [slug for slug, draft in minds.drafts.items() if draft is not minds.definitions.get(slug)]:
            self._definition(slug)

    def _names_nothing(self) -> list[Problem]:
        """Return which files of agents name a location that there is not, as they stand, whatever else is wrong."""
        locations = self._parts.engine.world.locations()
        known = [one for one in self._parts.minds.drafts.values() if not one.person]
        return [misplaced(one, locations) for one in known if find_location(one.location or "", locations) is None]

    def _moved(self, slug: str) -> list[str]:
        """Return that somebody's file names another location than when it counted, and that nobody is moved by it."""
        definition, locations = self._parts.minds.definitions[slug], self._parts.engine.world.locations()
        place = find_location(definition.location or "", locations)
        if place is None or place == find_location(self._starts.get(slug) or "", locations):
            return []
        line = definition.lines.get("location", 0)
        say = self._parts.texts.render
        return [say(MOVED, file=definition.file, line=line, name=definition.name, location=place.name)]

    def _file_of(self, slug: str) -> Path:
        return self._parts.vault / "agents" / slug / "agent.md"

    def _take_up(self, slug: str) -> list[Problem]:
        """Let the world follow an `agent.md`: somebody new comes in, whoever was there is as it says from now on."""
        minds, engine = self._parts.minds, self._parts.engine
        try:
            minds.assign_ids(engine.world.next_id, self.watcher.wrote)
            definition, agent = minds.definitions[slug], minds.by_slug(slug)
            if agent is None and not definition.person:
                return self._let_in(slug)
        except (LociError, OSError) as error:
            for one in [one for one, made in minds.definitions.items() if not made.id or one == slug]:
                if minds.by_slug(one) is None:
                    del minds.definitions[one]
            return [Problem(f"agents/{slug}/agent.md", 0, "", f"nobody could come in ({error})")]
        thing = definition.thing()
        known = engine.world.get(thing.id)
        if known is not None and known.name != thing.name:
            self._parts.queue.budget.rename(known.name, thing.name)
        if known != thing:
            engine.happen(thing, Outcome("", changes=(Define(thing),)))
        if agent is not None and self._living is not None:
            self._living.redefined(agent)
        return []

    def _let_in(self, slug: str) -> list[Problem]:
        """Bring an agent whose file is new into the world, where it was when it left or where its file says."""
        parts, minds, world = self._parts, self._parts.minds, self._parts.engine.world
        definition = minds.definitions[slug]
        place = world.location(world.away.get(definition.id, ""))
        place = place or find_location(definition.location or "", world.locations())
        if place is None:
            del minds.definitions[slug]
            return [misplaced(definition, world.locations())]
        agent = minds.open(slug)
        if definition.id in world.away:  # what it lived when its folder was being renamed is in the ledger alone
            for record in parts.ledger.after(agent.memory.last_source):
                minds.recover(record)
        self._starts[slug] = definition.location
        parts.engine.witnesses.add(agent.id)
        step = parts.engine.enter(definition.thing(), place.id)
        if step.failed:
            minds.let_go(agent)
            raise LociError(step.reply)
        self.watch_agent(agent.folder)
        self._do_later(minds.catch_up(agent))
        if self._living is not None:
            self._living.wake(agent)
        return []

    async def _miss(self, slug: str, clock: Clock) -> None:
        """Have an agent leave the world whose `agent.md` is still gone after a while."""
        await clock.sleep(MISSING_FOR)
        agent = self._parts.minds.by_slug(slug)
        if agent is None or agent.definition.person or self._file_of(slug).exists():
            return
        try:
            self.send_away(agent.definition)
        except LociError:  # the disk is full, as the log says; it leaves when that is over
            self._do_later(self._miss(slug, clock))
            return
        self._report([f"{agent.name} has left the world: agents/{slug}/agent.md is gone"])
        self._report(map(str, self._newcomers()))

    def _newcomers(self) -> list[Problem]:
        """Take up the files that nobody plays: the id in one may have been that of somebody who has left."""
        minds, problems = self._parts.minds, []
        for path in sorted((self._parts.vault / "agents").glob("*/agent.md")):
            if path.parent.name not in minds.definitions:
                problems += self._definition(path.parent.name)
        return problems

    def send_away(self, definition: Character) -> None:
        """Have a character leave the world for good.

        Raises:
            LociError: when that could not be written down; then it stays.
        """
        parts, agent = self._parts, self._parts.minds.by_slug(definition.slug)
        if parts.engine.world.location_of(definition.id) is not None:
            step = parts.engine.leave(definition.thing())
            if step.failed:
                raise LociError(step.reply)
        parts.engine.witnesses.discard(definition.id)
        folder = self._file_of(definition.slug).parent
        if not folder.exists():
            self.watcher.lost(folder)
        if agent is None:
            parts.minds.strike(definition.slug)
            return
        if self._living is not None:
            self._living.rest(agent)
        parts.minds.let_go(agent)

    def _world(self) -> list[Problem]:
        """Take up the world's files: what is new or changed becomes a step of its own; a wrong file changes nothing."""
        files, problems = self._load_world()
        world, wrong = self._parts.engine.world, {problem.file for problem in problems}
        for one in files:
            known = world.get(one.thing.id)
            if not one.thing.id or known == one.thing or one.file in wrong:
                continue
            changes: list[Change] = [Define(one.thing)]
            if known is None and one.place is not None:
                changes.append(Put(one.thing.id, one.place))
            self._parts.engine.happen(one.thing, Outcome("", changes=tuple(changes)))
        return problems

    def _load_world(self) -> tuple[list[Definition], list[Problem]]:
        """Read the world's files, and write an id into those that have none."""
        vault, world_files = self._parts.vault, self._parts.world_files
        files, problems = world_files.load()
        if all(one.thing.id for one in files):
            return files, problems
        try:
            assign_ids(vault, files, self._parts.engine.world.next_id, self.watcher.wrote)
        except (LociError, OSError) as error:
            return files, [*problems, Problem("world", 0, "id", f"an id could not be written ({error})")]
        return world_files.load()

    async def stop(self) -> None:
        """Leave what would be done later undone."""
        for task in self._later:
            task.cancel()
        await asyncio.gather(*self._later, return_exceptions=True)

    def _do_later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def _restore(self, slug: str, clock: Clock) -> None:
        """Write a summary again that is still gone after a while."""
        await clock.sleep(MISSING_FOR)
        agent = self._parts.minds.by_slug(slug)
        if agent is None or not self._file_of(slug).exists():
            return  # its whole folder was taken away; a summary must not bring it back
        summaries = agent.folder / "summaries"
        gone = [f"{tier}.md" for tier in TIERS if _gone(summaries / f"{tier}.md")]
        told = agent.memory.restore_missing()
        back = [f"{file} was gone and is written again" for file in gone if (summaries / file).exists()]
        self._report(f"{agent.name}: {message}" for message in [*told, *back])


def _gone(path: Path) -> bool:
    """Return whether a file is not there, or has nothing in it: an edit in progress, or its end."""
    try:
        return path.stat().st_size == 0
    except OSError:
        return True
