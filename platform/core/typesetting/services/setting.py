"""Typesetting of a document for the platform, in a separate process with bounds on its resources."""

import resource
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from django.conf import settings

from evaluation.documents.blocks import Block
from evaluation.documents.setting import in_own_process

if TYPE_CHECKING:
    from evaluation.figures.publication import Printed

MEMORY: Final = 4 * 1024**3
"""Bytes of address space that setting a document may take."""


def set_document(
    blocks: Iterable[Block], *, title: str, ending: str, figures: "Mapping[str, Printed] | None" = None
) -> bytes:
    """Return a document as a file; for workers, since it takes a second or more.

    Parameters
    ----------
    ending
        ``"pdf"`` or ``"docx"``.
    figures
        By the names that the blocks give them.

    Raises
    ------
    NotSetError
        When it takes too long or too much memory, or fails.
    """
    scratch = Path(settings.PODIUM_SCRATCH) / "work"
    scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    return in_own_process(blocks, title=title, ending=ending, figures=figures, scratch=scratch, started=_bound)


def _bound(process: int) -> None:
    with suppress(ProcessLookupError):
        resource.prlimit(process, resource.RLIMIT_AS, (MEMORY, MEMORY))
