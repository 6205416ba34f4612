"""Reading of uploaded Word and PDF documents in a confined child."""

import logging
from pathlib import Path
from typing import Any, Final

from confinement.limits import MIB, ChildLimits
from confinement.sandbox import ChildError, Failure, answers
from evaluation.designs.imports import DesignFileError, read_design_file
from evaluation.designs.imports.bounds import DEFAULT

SECONDS: Final = 90
MEMORY: Final = 1536 * MIB
_MESSAGE: Final = 32 * MIB
_LOG: Final = logging.getLogger(__name__)
_PROBLEMS: Final = {
    Failure.TIME: ("Reading the document took too long.", "Remove its pictures, or save it as .docx."),
    Failure.MEMORY: (
        "The document unpacks to more than the memory limit.",
        "Remove its pictures, or save it as .docx.",
    ),
}
_BROKEN: Final = ("The document could not be read.", "Save it again as .docx, or print it to a new PDF.")


def read_confined(path: Path, name: str) -> dict[str, Any]:
    """Return the proposals of a document as JSON values; the document is read in a confined child process.

    Raises
    ------
    DesignFileError
        For a document that cannot be read, or not within the limits. The message contains a remedy.
    """
    # Loaded before the child is forked, which inherits them.
    from evaluation.designs.imports import pdf_files, word_files  # noqa: F401

    def work(_item: str, _folder: Path) -> dict[str, Any]:
        try:
            return {"document": read_design_file(path, name=name).as_json()}
        except DesignFileError as error:
            return {"problem": error.problem, "remedy": error.remedy}

    limits = ChildLimits(
        memory_bytes=MEMORY,
        file_bytes=MIB,
        folder_bytes=MIB,
        item_seconds=SECONDS,
        message_bytes=_MESSAGE,
        scratch=path.parent,
    )
    if path.stat().st_size > DEFAULT.file_bytes:
        raise DesignFileError(name, "The file is too large.", "Remove or compress its pictures.")
    try:
        [answer] = answers([name], work, limits=limits, reads=[path])
    except ChildError as error:
        _LOG.exception("A document of a design could not be read.")
        raise DesignFileError(name, *_BROKEN) from error
    if answer.failure is not None or not isinstance(answer.value, dict):
        raise DesignFileError(name, *_PROBLEMS.get(answer.failure or Failure.CRASH, _BROKEN))
    if "document" not in answer.value:
        raise DesignFileError(name, str(answer.value["problem"]), str(answer.value["remedy"]))
    document: dict[str, Any] = answer.value["document"]
    return document
