"""The teams of a soak: they upload as a client does that begins again where it was broken off, and send the end twice."""

import io
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 90.0
TWICE = 0.3
"""Share of the submissions whose end is sent by two requests at the same instant."""


@dataclass
class Teams:
    """Uploads, and how often each fault met them."""

    world: Any
    doubled: int = 0
    interrupted: int = 0
    sent: dict[Any, int] = field(default_factory=dict)
    """Submission → which archive."""

    def submit(self, archive: bytes, shift: int, *, team: Any, twice: bool) -> None:
        """Hand in an archive, however often it takes."""
        from datastore.uploads.services.uploads import append
        from submissions.services.submitting import create_upload, finish

        user = self.patiently(lambda: team.members.get().user)
        facts = {"user": user, "phase": self.world.phase, "team": team, "file_name": "predictions.zip"}
        upload = self.patiently(lambda: create_upload(**facts, size=len(archive), again=True))

        def send() -> None:
            upload.refresh_from_db()  # as a client asks how much has arrived
            if not upload.is_whole:
                append(upload=upload, offset=upload.offset, read=io.BytesIO(archive[upload.offset :]).read)

        self.patiently(send)
        if twice:
            self.doubled += 1
            other = threading.Thread(target=self._quietly, args=(type(upload), upload.pk))
            other.start()
        submission = self.patiently(lambda: finish(upload=type(upload).objects.get(pk=upload.pk)))
        if twice:
            other.join()
        self.sent[submission.pk] = shift

    def _quietly(self, model: Any, pk: Any) -> None:
        """The second of two requests: what it answers does not matter, what it does is counted at the end."""
        from django.db import connection

        from datastore.uploads.services.refusals import UploadError
        from submissions.services.submitting import finish

        try:
            finish(upload=model.objects.get(pk=pk))
        except (UploadError, OSError, *_away()):
            pass
        finally:
            connection.close()

    def patiently(self, act: Callable[[], Any]) -> Any:
        """Repeat an action while the database is unavailable or the disk is full, as an uploading client does."""
        from django.db import connection

        from datastore.uploads.services.refusals import UploadError

        end = time.monotonic() + PATIENCE
        while True:
            try:
                return act()
            except (OSError, UploadError, *_away()):
                if time.monotonic() > end:
                    raise
                self.interrupted += 1
                connection.close()
                time.sleep(0.2)


def _away() -> tuple[type[Exception], ...]:
    from django.db import InterfaceError, OperationalError

    return InterfaceError, OperationalError
