"""The way in for a pipe."""

from __future__ import annotations

import asyncio
import io
import os
import threading
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands import Context, Outcome, command
from mud.engine.engine import Engine, Step
from mud.portal.plain import AHEAD, CHUNK, LONGEST, LineReader, cut_lines, run_plain, show_plain
from mud.portal.session import Message, Session, Sessions
from mud.world.events import Request
from mud.world.roles import Role
from tests.worlds import ANN, commands, make_engine

SOON = 10.0
"""Seconds that a test waits at most for what should happen at once."""


def lines_of(*chunks: bytes) -> list[str]:
    taken: list[str] = []
    rest = iter(chunks)
    cut_lines(lambda: next(rest, b""), taken.append)
    return taken


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"look\n", ["look"]),
        (b"look", ["look"]),
        (b"look\r\nsay hi\r\n", ["look", "say hi"]),
        (b"\n\na\n", ["", "", "a"]),
        (b"a\rb\n", ["a\rb"]),
        ("say Γειά 👋🏽\n".encode(), ["say Γειά 👋🏽"]),
        (b"say \xff\xfe\n", ["say \ufffd\ufffd"]),
        (b"say a\xe2\x80\xa8b\n", ["say a\u2028b"]),
    ],
)
def test_bytes_become_lines(data: bytes, lines: list[str]) -> None:
    assert lines_of(*filter(None, [data])) == lines


@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")), st.data())
def test_any_chunking_gives_the_same_lines(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=12)))
    chunks = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True) if a < b]
    whole = data.split(b"\n")
    expected = whole[:-1] if not whole[-1] else whole
    assert lines_of(*chunks) == [line.decode("utf-8", "replace").removesuffix("\r") for line in expected]


def test_a_line_of_ten_megabytes_is_cut_and_takes_no_more_memory_than_is_kept() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"look\n"
        for _ in range(10 * 1024 * 1024 // CHUNK):
            yield b"x" * CHUNK
        yield b"\nsay hi\n"

    taken: list[str] = []
    rest = chunks()
    tracemalloc.start()
    cut_lines(lambda: next(rest, b""), taken.append)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [len(line) for line in taken] == [4, LONGEST, 6]
    assert most < 4 * LONGEST


@command("ask", "<words>", category="query", keeps="skip")
def ask(ctx: Context, words: str) -> Outcome:
    """Ask something outside of the world.

    Example: ask why
    """
    return Outcome("", requests=(Request("ask", ctx.actor.id, 0, {"words": words}),))


class Pipe:
    """Ann at a pipe: what she writes goes in at one end, what she is shown is kept."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        self.engine: Engine = make_engine(registry=commands().joined([ask]))
        self.shown: list[str] = []
        self.asked: asyncio.Queue[Request] = asyncio.Queue()
        self.answered = asyncio.Event()
        self.session = Session(ANN, self.submit, lambda message: self.shown.append(message.text))
        sessions = Sessions(self.engine.world)
        sessions.add(self.session)
        self.engine.observe(sessions.observe)

    def submit(self, line: str) -> Step:
        step = self.engine.step(ANN, line, Role.OWNER)
        for request in step.requests:
            self.asked.put_nowait(request)
        return step

    def write(self, data: bytes) -> None:
        """Write all of it; blocks while the pipe is full."""
        while data:
            data = data[os.write(self.writing, data) :]

    def end(self) -> None:
        """Close the writing end."""
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1

    async def answer(self, words: str) -> None:
        """Wait for the next request and answer it."""
        request = await asyncio.wait_for(self.asked.get(), SOON)
        self.engine.answer(request, Outcome(f"{request.args['words']}: {words}"))
        self.answered.set()

    async def run(self) -> None:
        """Carry the session on until it ends."""
        await asyncio.wait_for(run_plain(self.session, lambda: self.answered, self.reading), SOON)


@asynccontextmanager
async def pipe() -> AsyncIterator[Pipe]:
    """A pipe whose ends are closed afterwards, and of which no thread is left."""
    before = set(threading.enumerate())
    one = Pipe()
    try:
        yield one
    finally:
        one.end()
        os.close(one.reading)
        assert set(threading.enumerate()) <= before  # those of earlier tests may end meanwhile


async def test_lines_are_answered_in_order_until_the_end_of_input() -> None:
    async with pipe() as ann:
        ann.write(b"say one\nxyzzy\n\nsay two")
        ann.end()
        await ann.run()
        assert [text.split(".")[0] for text in ann.shown] == [
            'You say, "one"', 'There is no command "xyzzy"', 'You say, "two"',
        ]  # fmt: skip
        assert not ann.session.over


async def test_quit_ends_it_whatever_follows_and_whoever_still_holds_the_pipe() -> None:
    async with pipe() as ann:
        ann.write(b"say one\nquit\n" + b"say more\n" * (3 * AHEAD))
        await ann.run()
        assert ann.session.over
        assert len(ann.shown) == 2


async def test_the_next_line_waits_until_a_request_is_answered() -> None:
    async with pipe() as ann:
        ann.write(b"ask why\nsay after\nask how\nquit\n")
        running = asyncio.create_task(ann.run())
        await ann.answer("because")
        await ann.answer("like this")
        await running
        assert ann.shown[:3] == ["why: because", 'You say, "after"', "how: like this"]


async def test_an_answer_is_still_waited_for_when_the_input_has_ended() -> None:
    async with pipe() as ann:
        ann.write(b"ask why")
        ann.end()
        running = asyncio.create_task(ann.run())
        await ann.answer("because")
        await running
        assert ann.shown == ["why: because"]


async def test_a_line_of_ten_megabytes_is_refused_and_the_next_one_is_done() -> None:
    async with pipe() as ann:
        writer = threading.Thread(target=ann.write, args=[b"x" * 10_000_000 + b"\nsay hi\nquit\n"])
        writer.start()
        await ann.run()
        writer.join()
        assert "the most is 8,192" in ann.shown[0]
        assert ann.shown[1] == 'You say, "hi"'


async def test_a_fast_pipe_waits_and_does_not_fill_memory() -> None:
    async with pipe() as ann:
        reader = LineReader(ann.reading)
        many = 10 * AHEAD
        ann.write(b"".join(b"say %d\n" % number for number in range(many)))
        ann.end()
        got = [await asyncio.wait_for(reader.next(), SOON)]
        assert reader._lines.qsize() <= AHEAD + 1  # and the end
        while (line := await asyncio.wait_for(reader.next(), SOON)) is not None:
            assert reader._lines.qsize() <= AHEAD + 1  # and the end
            got.append(line)
        assert got == [f"say {number}" for number in range(many)]
        assert await asyncio.wait_for(reader.next(), SOON) is None, "the end stays the end"
        reader.close()
        reader.close()


@pytest.mark.parametrize("written", [b"", b"half a line", b"say x\n" * (5 * AHEAD)])
async def test_cancelling_ends_the_thread_at_once_wherever_it_stands(written: bytes) -> None:
    async with pipe() as ann:
        ann.write(written)
        started = asyncio.Event()

        async def slow() -> None:
            reader = LineReader(ann.reading)
            try:
                started.set()
                await asyncio.Event().wait()
            finally:
                reader.close()

        task = asyncio.create_task(slow())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_cancelling_a_session_that_waits_for_a_line_takes_none_of_what_comes_later() -> None:
    async with pipe() as ann:
        running = asyncio.create_task(ann.run())
        ann.write(b"ask ready\n")
        request = await asyncio.wait_for(ann.asked.get(), SOON)
        assert request.name == "ask"
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        ann.write(b"for somebody else\n")
        assert os.read(ann.reading, 100) == b"for somebody else\n"


async def test_a_regular_file_can_be_read_like_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"say one\nquit\n")
    async with pipe() as ann:
        with path.open("rb") as file:
            await asyncio.wait_for(run_plain(ann.session, lambda: ann.answered, file.fileno()), SOON)
        assert ann.shown[0] == 'You say, "one"'
        assert ann.session.over


async def test_a_descriptor_that_is_gone_is_the_end_of_the_input(tmp_path: Path) -> None:
    with (tmp_path / "only-for-writing").open("wb") as file:
        async with pipe() as ann:
            await asyncio.wait_for(run_plain(ann.session, lambda: ann.answered, file.fileno()), SOON)
            assert ann.shown == []


async def test_the_session_ends_when_nobody_reads_its_output() -> None:
    async with pipe() as ann:

        def gone(message: Message) -> None:
            raise BrokenPipeError(32, "Broken pipe")

        session = Session(ANN, ann.submit, gone)
        ann.write(b"say one\nsay two\n")
        await asyncio.wait_for(run_plain(session, lambda: ann.answered, ann.reading), SOON)
        assert session.over
        assert ann.engine.number == 1


def test_a_loop_that_ended_without_closing_the_reader_leaves_a_thread_that_ends_quietly() -> None:
    reading, writing = os.pipe()
    kept: list[LineReader] = []

    async def forget() -> None:
        kept.append(LineReader(reading))

    asyncio.run(forget())
    os.write(writing, b"say into the void\n")
    os.close(writing)
    reader = kept[0]
    reader._thread.join(SOON)
    assert not reader._thread.is_alive()
    reader.close()
    os.close(reading)


def test_what_the_output_has_no_sign_for_is_shown_as_a_question_mark_and_never_an_error() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="latin-1")
    with redirect_stdout(out):
        show_plain("naïve Γ \ud83d")
    assert raw.getvalue() == "naïve ? ?\n".encode("latin-1")


async def test_a_terminal_does_not_show_a_private_line_and_then_shows_what_is_typed_again() -> None:
    async with pipe() as ann:
        person, terminal = os.openpty()
        running = asyncio.create_task(run_plain(ann.session, lambda: ann.answered, terminal))
        await asyncio.sleep(0)
        typed = asyncio.get_running_loop().create_future()
        ann.session.ask("Password:", typed.set_result)
        os.write(person, b"secret\n")
        assert await asyncio.wait_for(typed, SOON) == "secret"
        os.write(person, b"quit\n")
        await asyncio.wait_for(running, SOON)
        assert os.read(person, 1000).replace(b"\r\n", b"\n") == b"quit\n"
        os.close(person)
        os.close(terminal)
