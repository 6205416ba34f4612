"""From a folder to one archive, the same bytes every time, so that an upload goes on after a restart."""

import zipfile
from pathlib import Path

from podium_client.errors import ClientError

ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PACKED = (".gz", ".zst", ".png", ".zip")


def is_archive(path: Path) -> bool:
    """Return whether a file is an archive that is submitted unchanged."""
    return path.is_file() and path.name.lower().endswith(ARCHIVES)


def files_of(path: Path) -> list[Path]:
    """Return the files to hand in from a folder, or one loose file; without hidden ones.

    Raises
    ------
    ClientError
        When there is nothing.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ClientError(f"There is no file or folder {path}.")
    files = sorted(
        file
        for file in path.rglob("*")
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
    )
    if not files:
        raise ClientError(f"The folder {path} has no files.")
    return files


def pack(path: Path, target: Path) -> None:
    """Write the files of a folder into a ZIP archive; times and orders of the machine leave no trace in it."""
    root = path if path.is_dir() else path.parent
    with zipfile.ZipFile(target, "w", allowZip64=True) as archive:
        for file in files_of(path):
            info = zipfile.ZipInfo(file.relative_to(root).as_posix(), _EPOCH)
            packed = file.name.lower().endswith(_PACKED)
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            info.file_size = file.stat().st_size
            with file.open("rb") as source, archive.open(info, "w") as sink:
                while block := source.read(1024 * 1024):
                    sink.write(block)
