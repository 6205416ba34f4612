"""Typesetting of a document in a separate process: ``python -m evaluation.documents.setting FOLDER``.

The typesetter keeps files that it has read in memory, and nothing else needs the library for Word. Both are released
with the process. Callers that need the file use `in_own_process`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from evaluation.documents.blocks import Block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from evaluation.figures.publication import Printed

SECONDS: Final = 120.0
_KEPT_NAMES: Final = ("PATH", "PYTHONPATH", "LANG", "LC_ALL")


class NotSetError(Exception):
    """A document that could not be set, with the reason for operators."""


def in_own_process(
    blocks: Iterable[Block],
    *,
    title: str,
    ending: str,
    figures: Mapping[str, Printed] | None = None,
    scratch: Path | None = None,
    seconds: float = SECONDS,
    started: Callable[[int], None] | None = None,
) -> bytes:
    """Return a document as a file of a format, made in a separate process.

    Parameters
    ----------
    ending
        ``"pdf"`` or ``"docx"``.
    figures
        Figures by the names that the blocks use.
    scratch
        Folder in which the process gets its own folder; the machine's folder for temporary files if omitted.
    seconds
        Time limit after which the process is ended.
    started
        Function called with the process id, to limit the resources of the process.

    Raises
    ------
    NotSetError
        If it takes too long or too much memory, or fails.
    """
    with TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        given: dict[str, Any] = {
            "title": title,
            "ending": ending,
            "blocks": [block.as_json() for block in blocks],
            "figures": {},
        }
        for name, figure in (figures or {}).items():
            given["figures"][name] = len(given["figures"])
            for form in ("svg", "png"):
                (root / f"{given['figures'][name]}.{form}").write_bytes(getattr(figure, form) or b"")
        (root / "given.json").write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
        # Nothing of what this process knows by its environment: keys and passwords stand there.
        environment = {name: os.environ[name] for name in _KEPT_NAMES if name in os.environ} | {"TMPDIR": folder}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        words = [sys.executable, "-m", "evaluation.documents.setting", folder]
        try:
            process = subprocess.Popen(  # noqa: S603 (this interpreter and a folder of ours)
                words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder
            )
            with process:
                if started is not None:
                    started(process.pid)
                try:
                    _, stderr = process.communicate(timeout=seconds)
                finally:
                    process.kill()
        except subprocess.TimeoutExpired as error:
            raise NotSetError(f"It took more than {seconds:g} seconds.") from error
        if process.returncode:
            raise NotSetError(f"It ended with {process.returncode}: {stderr.decode(errors='replace')[-2000:]}")
        return (root / "made").read_bytes()


def main(folder: Path) -> None:
    """Typeset the document that a folder contains, and write the result to the same folder."""
    given = json.loads((folder / "given.json").read_text(encoding="utf-8"))
    blocks = [Block.of_json(values) for values in given["blocks"]]
    figures: dict[str, Any] = {
        name: SimpleNamespace(svg=(folder / f"{key}.svg").read_bytes(), png=(folder / f"{key}.png").read_bytes())
        for name, key in given["figures"].items()
    }
    if given["ending"] == "pdf":
        from evaluation.documents.pdf import as_pdf

        content = as_pdf(blocks, title=given["title"], figures=figures)
    else:
        from evaluation.documents.word import as_docx

        content = as_docx(blocks, pictures={name: figure.png for name, figure in figures.items()})
    (folder / "made").write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
