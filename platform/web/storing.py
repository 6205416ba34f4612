"""Storage of files on disk that are complete or absent, whatever ends the process or the machine."""

import os
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage

from evaluation import durable


class DurableStorage(FileSystemStorage):
    """Django's storage on disk, with each file written by `evaluation.durable`.

    A file that is being written, or whose writer was killed, is not listed. Django writes to the final name instead, so an
    interrupted writer leaves a file that looks complete. Callers that overwrite replace the file as a whole; a name that
    another process took since it was found free is replaced too.
    """

    def _save(self, name: str, content: Any) -> str:
        path = Path(self.path(name))
        self._make(path.parent)
        mode = 0o666 if self.file_permissions_mode is None else self.file_permissions_mode
        if hasattr(content, "temporary_file_path"):
            durable.move(Path(content.temporary_file_path()), path, mode=self.file_permissions_mode)
        else:
            with durable.replacing(path, mode=mode) as stream:
                for chunk in content.chunks():
                    stream.write(chunk.encode() if isinstance(chunk, str) else chunk)
        if self.file_permissions_mode is not None:
            path.chmod(self.file_permissions_mode)
        return path.relative_to(self.location).as_posix()

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return folders and complete files."""
        folders, files = super().listdir(path)
        return folders, [name for name in files if not durable.is_temporary(name)]

    def remove_leftovers(self, *, older_than: float = durable.LEFT_SECONDS) -> int:
        """Delete what killed writers left, in all folders; returns how many files."""
        return sum(
            durable.remove_leftovers(Path(folder), older_than=older_than) for folder, _, _ in os.walk(self.location)
        )

    def _make(self, folder: Path) -> None:
        durable.make_folder(
            folder, mode=0o777 if self.directory_permissions_mode is None else self.directory_permissions_mode
        )
