"""A vault says which key goes to which server, and may be a stranger's: neither is taken at its word."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agents.llm.backends.ollama import OLLAMA
from agents.llm.backends.openai_compatible import OpenAICompatible
from agents.llm.http import checked_parts
from agents.llm.profiles import ALLOWED, LLMProfile, key_of, why_not, why_not_to
from mud.errors import Unavailable
from mud.server.checks import check_vault
from mud.storage.settings import describe, fill
from tests.embedding_servers import Answer, listening
from tests.processes import Headless, loci
from tests.settings import parse_settings, put
from tests.vaults import SHIPPED, copy_vault, without_vectors

KEY = "sk-very-secret-0123456789"
OWN, FOREIGN = "LOCI_API_KEY_OF_MINE", "AWS_SECRET_ACCESS_KEY"


@dataclass
class Echo:
    """A server that says the key it was sent wherever it can say anything."""

    status: int = 200
    sent: list[str] = field(default_factory=list)
    """The header with the key of each request; empty for none."""

    def answer(self, method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        key = headers.get("authorization", "")
        self.sent.append(key)
        if self.status != 200:
            return self.status, {"error": {"message": f"your header was: {key}", "type": key}}
        if path.endswith("/models"):
            return 200, {"data": [{"id": f"model {key}"}]}
        if path.endswith("/tags"):
            return 200, {"models": [{"name": f"model {key}"}]}
        if "completions" in path:
            return 200, {"choices": [{"text": f"say {key}"}], "model": f"model {key}"}
        if path.endswith("/generate"):
            return 200, {"response": f"say {key}", "done": True}
        return 404, {"error": f"{key} has no {path}"}


@contextmanager
def echoing(status: int = 200) -> Iterator[tuple[Echo, str]]:
    echo = Echo(status=status)
    with listening(echo.answer) as host:
        yield echo, host


async def told(profile: LLMProfile) -> str:
    """Return with what a model cannot be asked."""
    model = OpenAICompatible(profile)
    with pytest.raises(Unavailable) as caught:
        await model.complete("~Eliza>", profile)
    await model.close()
    return str(caught.value)


async def test_a_variable_that_is_not_set_apart_for_vaults_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOREIGN, KEY)
    with echoing() as (echo, host):
        words = await told(LLMProfile(host=host, model="m", api_key_env=FOREIGN))
    assert echo.sent == []
    assert f"--allow-env {FOREIGN}" in words
    assert "LOCI_API_KEY" in words


async def test_one_that_the_environment_allows_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOREIGN, KEY)
    monkeypatch.setenv(ALLOWED, f"OTHER {FOREIGN}")
    with echoing() as (echo, host):
        model = OpenAICompatible(LLMProfile(host=host))
        await model.complete("~Eliza>", LLMProfile(host=host, model="m", api_key_env=FOREIGN))
        await model.close()
    assert echo.sent == [f"Bearer {KEY}"]


@pytest.mark.parametrize(
    "name", ["PATH", "loci_api_key", "MY_LOCI_API_KEY", FOREIGN, " LOCI_API_KEY", "LOCI_ALLOW_ENV"]
)
def test_names_that_only_look_like_it_are_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALLOWED, raising=False)
    assert why_not(name)
    assert not why_not("LOCI_API_KEY")
    assert not why_not(OWN)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/v1",
        "http://127.0.0.1:8080",
        "http://127.8.9.1",
        "http://localhost:1/v1",
        "http://[::1]:8080",
    ],
)
def test_a_key_goes_over_https_and_to_this_machine(address: str) -> None:
    assert why_not_to(address) == ""


@pytest.mark.parametrize(
    "address",
    [
        *("http://example.org", "http://192.168.1.4:8080", "http://0.0.0.0:80", "http://[::2]", "http://128.0.0.1"),
        *("http://localhost.example.org", "http://127.0.0.1.example.org", "http://example.org/127.0.0.1"),
        *("http://127.0.0.1@example.org", "HTTP://EXAMPLE.ORG"),
    ],
)
async def test_over_plain_http_it_goes_nowhere_else_and_that_is_told(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN, KEY)
    assert "plain http" in why_not_to(address)
    if "@" not in address:
        assert "plain http" in await told(LLMProfile(host=address, model="m", api_key_env=OWN))


@pytest.mark.parametrize("address", ["http://x[@evil.example", "http://[::1", "http://]"])
def test_it_is_not_sent_to_what_cannot_be_read_as_an_address(address: str) -> None:
    assert why_not_to(address).startswith(f"no key is sent to {address!r}, which is no address")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_neither_key_nor_prompt_follows_a_redirect(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OWN, KEY)
    with echoing() as (other, there):

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if await reader.readline():
                head = f"HTTP/1.1 {status} Elsewhere\r\nLocation: {there}/v1/completions\r\nContent-Length: 0\r\n\r\n"
                writer.write(head.encode())
                await writer.drain()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            words = await told(LLMProfile(host=f"http://127.0.0.1:{port}", model="m", api_key_env=OWN, retries=0))
    assert f"answered {status}" in words
    assert other.sent == []


@pytest.mark.parametrize("backend", ["openai_compatible", "ollama"])
async def test_a_server_that_says_the_key_again_is_not_repeated(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OWN, KEY)
    with echoing() as (echo, host):
        profile = LLMProfile(backend=backend, host=host, api_key_env=OWN)
        model = OLLAMA.make(profile) if backend == "ollama" else OpenAICompatible(profile)
        reply = await model.complete("~Eliza>", profile)
        await model.close()
    assert KEY in echo.sent[-1]
    assert (reply.text, reply.model) == ("say Bearer (key)", "model Bearer (key)")


def everything(vault: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(vault.rglob("*")) if path.is_file())


@pytest.mark.parametrize("status", [200, 401, 500])
def test_after_a_run_with_a_server_that_echoes_it_the_key_stands_nowhere(tmp_path: Path, status: int) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    with echoing(status) as (echo, host):
        for name in ("think", "summarizer", "dream"):
            put(vault, f"llm/{name}", host=host, api_key_env=OWN, retries=0)
        with Headless(vault, {OWN: KEY}) as world:
            assert world.says(r"A language model answers" if status == 200 else r"No language model answers")
            assert status != 200 or world.says(r"Bearer \(key\)")
    assert any(KEY in one for one in echo.sent)
    assert KEY not in world.said
    assert KEY.encode() not in everything(vault)


def test_a_foreign_variable_is_a_mistake_of_its_line_until_it_is_allowed(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    with echoing() as (echo, host):
        put(vault, "llm/think", host=host, api_key_env=FOREIGN)
        wrong = loci("check", "--vault", vault, environment={FOREIGN: KEY})
        fine = loci(
            "check", "--vault", vault, "--allow-env", "OTHER", "--allow-env", FOREIGN, environment={FOREIGN: KEY}
        )
        with Headless(vault, {FOREIGN: KEY}) as world:
            assert world.says("No language model answers")
    (line,) = wrong.stdout.splitlines()
    assert wrong.returncode == 1
    assert line.startswith("config/llm/think.md:")
    assert f"api_key_env: '{FOREIGN}' is not sent" in line
    assert (fine.returncode, fine.stdout) == (0, "")
    assert f"'{FOREIGN}' is not sent" in world.said
    assert echo.sent == []


def test_a_key_for_a_server_elsewhere_over_plain_http_is_a_mistake_of_its_line(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "llm/think", host="https://example.org, http://example.org", api_key_env=OWN)
    (line,) = loci("check", "--vault", vault).stdout.splitlines()
    assert line.startswith("config/llm/think.md:")
    assert "host: no key is sent to example.org over plain http" in line


@pytest.mark.parametrize(
    "host",
    ["http://127.0.0.1:99999999", "http://[::1", "http://", "ftp://127.0.0.1:1", "file:///etc/passwd", "javascript:x"],
)
async def test_a_host_that_no_server_can_have_is_told_where_it_is_set_and_when_it_is_asked(
    tmp_path: Path, host: str
) -> None:
    vault = copy_vault(tmp_path)
    put(vault, "llm/think", host=f"http://127.0.0.1:1, {host}", api_key_env=OWN)
    (told,) = [one for one in check_vault(vault) if one.file == "config/llm/think.md"]
    said = (vault / told.file).read_text(encoding="utf-8").splitlines()
    assert host in said[told.line - 1]
    assert told.key == "host"
    assert f"{host!r} is no address of a server; expected one like http://" in told.message
    with pytest.raises(Unavailable, match="is no address of a server"):
        checked_parts(host, "http://127.0.0.1:8080")


def test_a_host_is_left_alone_where_nobody_asks_it(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    put(vault, "llm/think", backend="scripted", host="nowhere", model="look")
    assert [one for one in check_vault(vault) if one.file == "config/llm/think.md"] == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_key_of_several_lines_is_told_as_that(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setenv(OWN, f"sk-first{end}sk-second{end}")
    with pytest.raises(Unavailable, match=f"{OWN} holds several lines; expected a key alone, on one line") as raised:
        key_of(LLMProfile(api_key_env=OWN))
    assert "sk-" not in str(raised.value)


# ---- profiles ----


def shipped(name: str) -> LLMProfile:
    values, problems = parse_settings((SHIPPED / f"config/llm/{name}.md").read_text("utf-8"), LLMProfile, name)
    assert problems == []
    return fill(LLMProfile, values)


@pytest.mark.parametrize("name", ["think", "summarizer", "dream"])
def test_a_shipped_profile_shows_every_key_with_its_help(name: str) -> None:
    text = (SHIPPED / f"config/llm/{name}.md").read_text("utf-8")
    values, _ = parse_settings(text, LLMProfile, name)
    assert set(values) == {one.key for one in describe(LLMProfile)}
    assert all(one.help.rstrip(".") in text for one in describe(LLMProfile))


def test_a_summary_has_its_own_stop_and_length() -> None:
    think, summarizer = shipped("think"), shipped("summarizer")
    assert "\n" in think.stop
    assert "\n" not in summarizer.stop
    assert summarizer.max_tokens > think.max_tokens


def test_a_backend_that_there_is_not_is_a_problem_with_file_line_and_key() -> None:
    _, problems = parse_settings("# x\n\n**backend**: openai_compatable\n", LLMProfile, "config/llm/think.md")
    assert [str(problem).startswith("config/llm/think.md:3: backend: ") for problem in problems] == [True]
    assert "openai_compatible" in str(problems[0])
