"""Letters of other worlds at the web door: unread unless signed, whole, and answered with a signature."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from mud.portal.letters import DIGEST, LONGEST, PATH, SIGNATURE, TakeLetter, digest
from tests.unit.mud.portal.web.stage import served


async def _echo(body: bytes) -> tuple[bytes, str]:
    return b'{"answer":"%d bytes"}' % len(body), "signed"


def _known(what: str, sent: str, signature: str) -> TakeLetter | None:
    return _echo if (what, signature) == ("hello", "right") else None


@pytest.mark.parametrize(
    ("what", "signature", "sent", "body", "status"),
    [
        ("hello", "right", b"a letter", b"a letter", 200),
        ("hello", "wrong", b"a letter", b"a letter", 401),
        ("steal", "right", b"a letter", b"a letter", 401),
        ("hello", "right", b"a letter", b"another", 413),
        ("hello", "right", b"a letter", b"x" * (LONGEST + 1), 413),
    ],
)
async def test_only_a_letter_that_a_neighbour_signed_is_read(
    tmp_path: Path, what: str, signature: str, sent: bytes, body: bytes, status: int
) -> None:
    async with served(tmp_path) as world:
        world.people.open_letter = _known
        address = f"{world.address}{PATH}/{what}"
        async with httpx.AsyncClient(trust_env=False) as other:
            headers = {SIGNATURE: signature, DIGEST: digest(sent)}
            answer = await other.post(address, content=body, headers=headers)
    assert answer.status_code == status
    if status == 200:
        assert (answer.json(), answer.headers[SIGNATURE]) == ({"answer": "8 bytes"}, "signed")
