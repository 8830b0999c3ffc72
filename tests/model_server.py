"""A model server with bad manners, over real sockets: which ones stands in the address."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.processes import PATIENCE


class Server(ThreadingHTTPServer):
    """An OpenAI-compatible server whose manners stand in the address: `http://host:port/hangs` and so on.

    Every address lists a model, so that its world takes it for one that answers.
    """

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Answers)
        self.over = threading.Event()
        self.asked: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        """What it was sent, in the order of `asked`."""
        self.spoil: Callable[[str], str] = str
        """What `jumbles` does to its words."""
        self.numbers = itertools.count(1)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def address(self, manner: str) -> str:
        """Return the address of a model with these manners."""
        return f"http://127.0.0.1:{self.server_port}/{manner}"

    def close(self) -> None:
        """Go away: nothing answers at the port any more."""
        self.over.set()
        self.shutdown()
        self.server_close()
        self._thread.join(PATIENCE)


class Answers(BaseHTTPRequestHandler):
    """Answers one request as its address says."""

    server: Server

    def do_GET(self) -> None:
        """List the models."""
        self._send(200, json.dumps({"data": [{"id": "rude-model"}]}).encode())

    def do_POST(self) -> None:
        """Complete a prompt, or what passes for it."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        manner = self.path.split("/")[1]
        self.server.asked.append(manner)
        self.server.bodies.append(json.loads(body))
        try:
            MANNERS[manner](self)
        except ConnectionError:
            pass  # the client has given us up, as it should

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def replies(self, text: str) -> None:
        """Reply properly."""
        self._send(200, json.dumps({"choices": [{"text": text}], "model": "rude-model"}).encode())

    def behaves(self) -> None:
        """Reply with a new command line each time."""
        number = next(self.server.numbers)
        self.replies(f" emote draws figure{number}, figure{number}a and figure{number}b in the dust.")

    def hangs(self) -> None:
        """Never answer."""
        self.server.over.wait(PATIENCE)

    def drips(self) -> None:
        """Answer a byte at a time, so that no single read takes long."""
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while not self.server.over.wait(0.1):
            self.wfile.write(b" ")

    def fails(self) -> None:
        """Say that something went wrong, as a page for people."""
        self._send(500, b"<html>Internal Server Error</html>")

    def babbles(self) -> None:
        """Answer with bytes that are no JSON."""
        self._send(200, bytes(range(256)) * 40)

    def mumbles(self) -> None:
        """Reply with words that are no command."""
        self.replies(" The Quick Brown Fox, and so on and so forth (as an AI) ...")

    def shrugs(self) -> None:
        """Reply with nothing."""
        self.replies("")

    def floods(self) -> None:
        """Reply with 20 MB."""
        self.replies("say " + "flood " * 3_500_000)

    def breaks(self) -> None:
        """Close the connection in mid-answer."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices": [{"text": "say he')
        self.close_connection = True

    def jumbles(self) -> None:
        """Reply with spoilt words, and every third time with an error in such words."""
        number = next(self.server.numbers)
        words = self.server.spoil(f"Hello to all of you, for the {number}th time.")
        if number % 3:
            self.replies(f" say {words}")
        else:
            self._send(400, json.dumps({"error": {"message": words}}).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


MANNERS: dict[str, Callable[[Answers], None]] = {
    one.__name__: one
    for one in (
        Answers.behaves,
        Answers.hangs,
        Answers.drips,
        Answers.fails,
        Answers.babbles,
        Answers.mumbles,
        Answers.shrugs,
        Answers.floods,
        Answers.breaks,
        Answers.jumbles,
    )
}
