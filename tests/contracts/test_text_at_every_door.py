"""Characters that nobody sees, put into every file of a vault and every line: none of them comes out anywhere."""

from __future__ import annotations

import json
import random
import re
import shutil
from contextlib import closing
from functools import partial
from pathlib import Path

from tests.model_server import Server
from tests.processes import Headless, loci
from tests.vaults import copy_vault, without_vectors

HIDDEN = [
    *map(chr, {*range(0x20), 0x7F, *range(0x80, 0xA0)} - {*b"\n\t\r"}),
    *"\xad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2028\u2029",
    *"\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206f\u3164\ufe00\ufe0e\ufe0f\ufeff\uffa0\ufff9\ufffb",
    *map(chr, range(0xE0000, 0xE0080)),
    *"\U000e0100\U000e01ef",
]
"""All of them stand beside Latin letters, so none has a meaning."""
LONE = ["\ud800", "\udfff"]
ORDERS = ["\x1b[31m", "\x1b[2J", "\x1b]0;mine\x07", "\x9b1A"]
FOUND = re.compile("[" + "".join(map(re.escape, HIDDEN)) + "\r\ud800-\udfff]")


class Junk:
    """Puts what nobody sees between the words of a text.

    Args:
        seed: of its chance.
    """

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def __call__(self, text: str, halves: bool = False, but: str = "") -> str:
        """Return a text with some of it behind each of its letters.

        Args:
            text: the text.
            halves: lone surrogates too, which only JSON and YAML can spell.
            but: what is left out.
        """
        signs = [sign for sign in [*HIDDEN, *ORDERS, *(LONE if halves else [])] if not set(sign) & set(but)]
        return "".join(letter + self._next(signs) if letter.isalpha() else letter for letter in text)

    def _next(self, signs: list[str]) -> str:
        return self._chance.choice(signs)


def _yaml(text: str) -> str:
    return json.dumps(text)  # what JSON spells, YAML reads in double quotes


def _spoilt(vault: Path, junk: Junk) -> None:
    """Put hidden characters into every kind of file that there is."""
    for path in [*vault.glob("world/*/*.md"), *vault.glob("agents/*/agent.md"), *vault.glob("prompts/*.md")]:
        head, mark, body = path.read_text("utf-8").partition("\n---\n")
        title, mark2, rest = body.partition("\n\n" if "/prompts/" not in str(path) else "\n")
        rest = re.sub(r"(?m)^(?![#~{]).*?\.$", lambda found: _words(found[0], junk), rest)
        path.write_text(head + mark + title + mark2 + rest, "utf-8", newline="")
    moss = vault / "agents/moss/agent.md"
    moss.write_text(
        moss.read_text("utf-8").replace("aliases: []", f"aliases: [{_yaml(junk('old reader', halves=True))}]")
    )
    garden = vault / "world/locations/the-garden.md"
    text = garden.read_text("utf-8")
    garden.write_text(text.replace("# The Garden", "# " + _words("The Garden", junk), 1), "utf-8", newline="")
    texts = vault / "text/commands.md"
    texts.write_text(texts.read_text("utf-8").replace("You say", _words("You say", junk), 1), "utf-8", newline="")
    (vault / "agents/wr\x1b[31men\u202e\n").mkdir()
    wren = '---\nid: "#7001"\nlocation: "[[The Lobby]]"\nbrain: nonsense\n---\n# Wren\n'
    (vault / "agents/wr\x1b[31men\u202e\n/agent.md").write_text(wren, "utf-8")
    (vault / "agents/fi\x1b[31mnch\u202e").mkdir()
    finch = wren.replace("7001", "7002").replace("nonsense", "auto").replace("Wren", "Finch")
    (vault / "agents/fi\x1b[31mnch\u202e/agent.md").write_text(finch, "utf-8")
    (vault / "agents/eliza/notes").mkdir()
    note = f"# {_words('Sundial', junk)}\n\n{_words('The fin is missing.', junk)}\n"
    (vault / "agents/eliza/notes" / "sun\x1b[31mdial\u202e.md").write_text(note, "utf-8", newline="")
    (vault / "agents/eliza/notes" / "\u200bb\x07are.md").write_text(_words("Only words.", junk), "utf-8", newline="")
    (vault / "agents/eliza/journal.md").write_text(f"- {_words('Ada owes me a pear.', junk)}\n", "utf-8", newline="")
    (vault / "world/items" / "bad\x1b[2J\n\u202eitem.md").write_text("---\nid: 7\n---\n# Bad\n", "utf-8")
    (vault / "world/items" / "hollow\x1b[2J\u200b.md").write_text('---\nid: "#1999"\n---\nIt is hollow.\n', "utf-8")
    (vault / "config/llm/bad\x1b]0;x\x07\u2066.md").write_text("**nonsense**: 1\n", "utf-8")
    world = vault / "config/world.md"
    world.write_text(
        world.read_text("utf-8") + f"\n**{'nothing'}**: {_words('The Garden', junk)}\n", "utf-8", newline=""
    )


def _words(text: str, junk: Junk) -> str:
    """Spoil a text that stands in markdown: what would end its line is left out."""
    return junk(text, but="\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e")


def _lived(vault: Path, junk: Junk) -> None:
    """Have an archive, summaries and a ledger that another program wrote."""
    archive = vault / "agents/eliza/archive"
    archive.mkdir()
    entries = [
        {"seq": seq, "at": "2026-01-01T00:00:00.000Z", "kind": "heard", "actor": junk("Ulric", halves=True),
         "place": junk("The Mill"), "text": junk(f"Ulric says, the mill is sold, {seq}.", halves=True),
         "reason": junk("to know"), "failed": False, "importance": 4, "source": 0}
        for seq in range(1, 200)
    ]  # fmt: skip
    (archive / "0000000001.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in entries), "utf-8")


def _hidden(where: str, text: str) -> list[str]:
    return [f"{where}: {text[max(0, one.start() - 80) : one.end() + 20]!r}" for one in FOUND.finditer(text)][:3]


def _asked(vault: Path, said: dict[str, str], *args: object, stdin: str = "") -> None:
    """Run a command, and note what it said."""
    done = loci(*args, "--vault", vault, stdin=stdin)
    assert "Traceback" not in done.stderr, done.stderr
    said[f"{args} stdout"], said[f"{args} stderr"] = done.stdout, done.stderr


def _remembered_and_typed(vault: Path, said: dict[str, str], junk: Junk, tmp_path: Path) -> None:
    """Give somebody memories, and live in the world for a while."""
    command = partial(_asked, vault, said)
    life = tmp_path / "li\x1b[31mfe\u202e.jsonl"
    records = [
        {"text": junk(f"Moss says the bell rang {at} times."), "actor": junk("Moss"), "place": junk("The Hall")}
        for at in range(150)
    ]
    life.write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    wrong = tmp_path / "wro\x1b[31mng\u200b.jsonl"
    wrong.write_text('{"text": 7}\n', "utf-8")
    command("remember", "moss", life)
    command("remember", "moss", life, "--json")
    command("remember", "moss", wrong)
    command("remember", "finch", life)
    command("remember", "mo\x1b[31mss", life)
    lines = [
        _words("say hello there", junk),
        junk("say hello again"),
        _words("look", junk),
        "look",
        "say he\u200bllo the\u2060re",
        "@status",
        "examine me",
    ]
    lines += [
        "who",
        "recall mill",
        "@notes eliza",
        "@journal eliza",
        "@archive moss#1-9",
        "@why moss",
        "@forget wren",
        "@memory-history finch",
        "@archive finch#3-4",
        "help \u200bsay",
    ]
    command("run", "--as", "Ada", "--seed", "1", "--seconds", "6", stdin="".join(f"{line}\n" for line in lines))
    with closing(Server()) as server:
        server.spoil = partial(junk, halves=True)
        _think_by(vault, server.address("jumbles"))
        with Headless(vault) as world:
            assert world.says(r"(?s)Hello to all of.*Hello to all of.*Hello to all of"), world.said
        said["headless"] = world.said


def _think_by(vault: Path, host: str) -> None:
    """Have everybody ask a model, and often."""
    think = vault / "config/llm/think.md"
    think.write_text(re.sub(r"(\*\*host\*\*): .*", rf"\1: {host}", think.read_text("utf-8")), "utf-8")
    for path in vault.glob("agents/*/agent.md"):
        path.write_text(re.sub(r"(think_interval): .*", r"\1: 1", path.read_text("utf-8")), "utf-8", newline="")


def _looked_at(vault: Path, said: dict[str, str], junk: Junk) -> None:
    """Ask for all that can be shown."""
    command = partial(_asked, vault, said)
    for tool in (
        "check",
        "status moss",
        "status eliza",
        "prompt moss",
        "prompt eliza",
        "compact eliza",
        "compact moss",
    ):
        command(*tool.split())
        command(*tool.split(), "--json")
    for query in ("mill bell", _words("mill bell", junk)):
        command("recall", "eliza", query)
        command("recall", "moss", query, "--json")
        command("recall", "moss", stdin=query)


def test_nothing_that_nobody_sees_comes_out_anywhere(tmp_path: Path) -> None:
    vault, junk = without_vectors(copy_vault(tmp_path)), Junk(1)
    _spoilt(vault, junk)
    _lived(vault, junk)
    said: dict[str, str] = {}
    _remembered_and_typed(vault, said, junk, tmp_path)
    _looked_at(vault, said, junk)
    assert (vault / "agents/eliza/mind.md").exists()
    written = [*filter(Path.is_file, vault.rglob("log/**/*")), *vault.glob("agents/*/mind.md")]
    written += [*vault.glob("agents/*/summaries/*.md")]
    written += [*vault.glob("agents/*/notes/the*.md"), *vault.glob("agents/moss/archive/*")]
    assert len(written) > 8
    texts = said | {str(path): path.read_text("utf-8") for path in written}
    assert [found for where, text in texts.items() for found in _hidden(where, text)] == []
    assert "the mill is sold" in said["('recall', 'eliza', 'mill bell') stdout"]
    assert ', "hello there"' in next(text for where, text in said.items() if "run" in where)  # its verb may be spoilt
    assert "the bell rang" in said["('prompt', 'moss') stdout"]
    assert r"world/items/bad\x1b[2J\n\u202eitem.md" in said["('check',) stdout"]
    shutil.rmtree(vault)
