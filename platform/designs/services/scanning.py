"""Reading uploaded references in a process of its own: bounded in time and memory, without secrets, free to die."""

import json
import resource
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

import evaluation

SECONDS: Final = 300
MEMORY: Final = 4 * 1024**3
# Of one archive: as many files, and so many bytes once unpacked.
MAX_MEMBERS: Final = 1000
MAX_UNPACKED: Final = 2 * 1024**3
_BLOCK: Final = 1024**2
_ROOT: Final = Path(evaluation.__file__).parent.parent


class ScanError(ValueError):
    """Files that cannot be read, with words for the person who sent them."""


def scan_folder(plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Scan `folder`/references, and `folder`/predictions if it is there.

    Parameters
    ----------
    plan
        ``problem`` and ``regions`` as in an assessment.

    Raises
    ------
    ScanError
        When the files cannot be read, or not within the limits.
    """
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "evaluation.advice.pitfalls",
        str(folder / "plan.json"),
        str(folder / "references"),
    ]
    if (folder / "predictions").is_dir():
        command.append(str(folder / "predictions"))
    try:
        done = subprocess.run(  # noqa: S603 (our own module; file names are data)
            command,
            cwd=folder,
            # Nothing of the platform's environment: it holds its secrets.
            env={
                "PYTHONPATH": str(_ROOT),
                "PATH": "/usr/bin:/bin",
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
            },
            capture_output=True,
            timeout=SECONDS,
            preexec_fn=_bounded,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ScanError("Reading the files took too long. A few typical cases are enough.") from error
    if done.returncode == 2:
        raise ScanError(done.stderr.decode("utf-8", "replace").strip()[:1000])
    if done.returncode != 0:
        raise ScanError("The reader broke off at these files. Fewer or smaller cases may help.")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def lay_out(stream: BinaryIO, name: str, role: str, folder: Path) -> None:
    """Put one upload where the scan looks for it; an archive is unpacked, without any of its paths.

    Predictions lie in one folder an algorithm: the folder that holds them in an archive, else “predictions”.

    Raises
    ------
    ScanError
        When an archive is none, or holds too much.
    """
    target = folder / role
    if not name.lower().endswith(".zip"):
        _write(stream, _place(target, PurePosixPath(name), role), MAX_UNPACKED)
        return
    try:
        with zipfile.ZipFile(stream) as archive:
            members = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(members) > MAX_MEMBERS or sum(entry.file_size for entry in members) > MAX_UNPACKED:
                raise ScanError(f"{name} holds more than {MAX_MEMBERS:,} files or {MAX_UNPACKED // 1024**3} GB.")
            for entry in members:
                path = PurePosixPath(entry.filename.replace("\\", "/"))
                if path.name.startswith((".", "__")) or "__MACOSX" in path.parts:
                    continue
                with archive.open(entry) as member:
                    _write(member, _place(target, path, role), entry.file_size)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise ScanError(f"{name} cannot be unpacked.") from error


def _place(target: Path, path: PurePosixPath, role: str) -> Path:
    if role == "predictions":
        algorithm = path.parent.name
        target = target / (algorithm if algorithm.strip(".") else "predictions")
    target.mkdir(parents=True, exist_ok=True)
    return target / path.name


def _write(source: Any, target: Path, limit: int) -> None:
    written = 0
    with target.open("wb") as stream:
        while block := source.read(_BLOCK):
            written += len(block)
            # What a header says of its size is not to be relied on.
            if written > limit:
                raise ScanError(f"{target.name} is larger than it says.")
            stream.write(block)
