"""Making a vault: beside its place and then renamed, so that a failure leaves nothing.

The examples are folders of `examples/`, each with only what differs from the shipped vault. A setting of an example is
put into the shipped file of settings, with its help.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

from mud.errors import LociError
from mud.process import temporary_folder
from mud.sanitize import visible
from mud.server.checks import SCHEMAS
from mud.storage.files import READ_LIMIT, read_text, write_unsynced
from mud.storage.paths import SHIPPED, below, make_folder, missing_in
from mud.storage.settings import examine_settings, replace_setting

EXAMPLES = SHIPPED.parent / "examples"
EMPTY = "empty"
"""The example with one place and nobody in it."""
WHOLE = "shipped"
"""The example that is the shipped world itself."""
LENT = ("instinct", "prompts", "text")
"""The folders that a vault without them borrows from the shipped one."""
_SETTINGS = "config"
_FOLDERS = (_SETTINGS, "world", *LENT)
_VISITOR = ".gitignore"  # in the folder of a person, and of nobody else


def examples() -> list[str]:
    """Return the names of the examples, sorted."""
    return sorted([WHOLE, *(path.name for path in EXAMPLES.iterdir() if path.is_dir())])


@contextmanager
def new_vault(target: Path) -> Iterator[Path]:
    """Make a vault: yield an empty folder to fill, which is then renamed to `target` unless something is raised.

    Raises LociError when nothing can be made there, or when what was filled in is no vault.
    """
    target = target.absolute()
    check_place(target)
    try:
        with temporary_folder(f".{target.name}-", target.parent.resolve()) as beside:
            made = beside / "made"
            made.mkdir()
            yield made
            if lacking := missing_in(made):
                raise LociError(f"this makes no vault: it lacks {lacking}")
            os.sync()
            made.rename(target)
    except OSError as error:
        raise LociError(f"{_shown(target)} cannot be made: {error.strerror or error}") from error


def check_place(target: Path) -> None:
    """Raise a LociError unless a vault can be made here: in a folder that is there, under a free name."""
    try:
        inside = next((one for one in target.resolve().parents if not missing_in(one)), None)
        if inside is not None:
            raise LociError(f"{_shown(target)} is inside the vault {_shown(inside)}; a vault needs a place of its own")
        if os.path.lexists(target) and (target.is_symlink() or not target.is_dir()):
            raise LociError(f"{_shown(target)} is there already and is no folder; expected a new name")
        if not is_free(target):
            raise LociError(f"{_shown(target)} is there already and is not empty; expected a new name")
        if not target.parent.is_dir():
            raise LociError(f"there is no folder {_shown(target.parent)} to make {visible(target.name)} in")
    except OSError as error:
        raise LociError(f"{_shown(target)} cannot be made: {error.strerror or error}") from error


def is_free(folder: Path) -> bool:
    """Return whether there is nothing in a folder, or no such folder."""
    return not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))


def _shown(path: Path) -> str:
    return visible(str(path))


def fill_from_example(made: Path, name: str, *, texts: bool) -> int:
    """Copy the shipped settings and an example into a new folder, with `texts` also what is lent otherwise.

    Returns the number of files.
    """
    source = SHIPPED if name == WHOLE else EXAMPLES / name
    for file in _files(SHIPPED):
        if file.parts[0] in (_SETTINGS, ".gitignore") or (texts and file.parts[0] in LENT):
            _copy(SHIPPED, file, made)
    for file in _files(source):
        if file.parts[0] == _SETTINGS and source is not SHIPPED:
            _set(source, file, made)
        elif source is not SHIPPED or file.parts[0] in ("world", "agents"):
            _copy(source, file, made)
    return sum(path.is_file() for path in made.rglob("*"))


def _files(source: Path) -> Iterator[PurePath]:
    """Yield the files that people wrote, of a vault that may have been played in, in order."""
    for entry in below(source):
        if isinstance(entry, OSError):
            raise entry
        file = PurePath(entry.path).relative_to(source)
        if entry.is_file(follow_symlinks=False) and _written_by_people(source, file):
            yield file


def _written_by_people(source: Path, file: PurePath) -> bool:
    match file.parts:
        case ("world", "state.md"):
            return False
        case ("agents", who, *rest):
            kept = rest == ["agent.md"] or rest[:1] == ["memories"]
            return kept and not (source / "agents" / who / _VISITOR).exists()
        case (".gitignore",):
            return True
        case (_,):  # such as a README, or what is given to `remember`
            return file.suffix in (".md", ".jsonl", ".txt")
        case (top, *_):
            return top in _FOLDERS and file.suffix == ".md"
    return False


def _copy(source: Path, file: PurePath, made: Path) -> None:
    _write(made / file, read_text(source / file, READ_LIMIT, str(file)))


def _set(source: Path, file: PurePath, made: Path) -> None:
    """Put the settings of an example's file into the file of the same name that was copied before."""
    schema, text = SCHEMAS[file.stem], read_text(made / file)
    given, _ = examine_settings(read_text(source / file), schema, str(file))
    for one in given:
        text = replace_setting(text, schema, one.key, one.value, str(file))
    _write(made / file, text)


def _write(path: Path, text: str) -> None:
    make_folder(path.parent, above=True)
    write_unsynced(path, text)
