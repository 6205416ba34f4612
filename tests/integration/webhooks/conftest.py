import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from challenges.webhooks.services import sending
from tests.integration.executions.conftest import private_files
from tests.integration.executions.world import build
from tests.unit.reviews.fixtures import base
from tests.unit.reviews.fixtures import world as reviewed
from web import outbound

__all__ = ["base", "private_files", "reviewed"]


@pytest.fixture
def world(db, tmp_path):
    """A challenge with an organizer and teams."""
    return build(tmp_path)


class Receiver:
    """A program that receives webhooks, over HTTP on this machine."""

    def __init__(self):
        self.messages, self.statuses = [], []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.messages.append((dict(self.headers), body))
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?channel=1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def receiver(monkeypatch):
    """A receiver on this machine, which is no public host and is therefore permitted here."""

    def exchange(*args, **more):
        return outbound.exchange(*args, **more, allow_private=True)

    monkeypatch.setattr(sending, "exchange", exchange)
    own = Receiver()
    yield own
    own.server.shutdown()
    own.server.server_close()
