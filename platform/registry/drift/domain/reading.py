"""An uploaded file or a fetched page, read and compared with a registered design within bounds.

Both happen in a confined child, as with participants' files: the findings and a digest of the text are all that comes back.
"""

import hashlib
import importlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from confinement.limits import MIB, ChildLimits
from confinement.sandbox import ChildError, Failure, answers
from evaluation.designs.document import Document
from registry.drift.domain.comparing import compare

MAX_CHARACTERS: Final = 400_000
MAX_BYTES: Final = 10 * 1024 * 1024
MAX_PAGES: Final = 200
_LIMITS: Final = ChildLimits(
    memory_bytes=1024 * MIB, file_bytes=MIB, folder_bytes=MIB, folder_files=10, item_seconds=60, message_bytes=16 * MIB
)
_DAMAGED: Final = "This file is damaged or protected and cannot be read."
_SKIPPED: Final = frozenset({"script", "style", "noscript", "template", "svg"})


class UnreadableError(ValueError):
    """A file that gives no text; the message is for the person who sent it."""


@dataclass(frozen=True)
class Comparison:
    """A text against a registered design: its digest and length, the findings, and whether it names the record."""

    digest: str
    characters: int
    findings: list[dict[str, str]]
    links_record: bool


def compared(
    content: bytes, document: Document, record_names: Sequence[str], *, kind: str = "", name: str = ""
) -> Comparison:
    """Compare a PDF, a web page or a plain file with a registered design, in a confined child.

    Parameters
    ----------
    record_names
        Identifier, address and DOIs of the record; looked for in the markup as well, where links are.

    Raises
    ------
    UnreadableError
        When it is too large, damaged or protected, contains no text, or takes too long.
    """

    def work() -> dict[str, Any]:
        text = _read(content, kind, name)
        searched = f"{text} {content.decode(errors='ignore')}".casefold()
        return {
            "digest": hashlib.sha256(text.encode()).hexdigest(),
            "characters": len(text),
            "findings": [
                {"task": entry.task, "parameter": entry.parameter, "found": str(entry.found), "passage": entry.passage}
                for entry in compare(document, text)
            ],
            "links_record": any(name.casefold() in searched for name in record_names if name),
        }

    return Comparison(**_in_child(content, work))


def text_of(content: bytes, *, kind: str = "", name: str = "") -> str:
    """The text of a PDF, a web page or a plain file, read in a confined child.

    Raises
    ------
    UnreadableError
        When it is too large, damaged, protected, or holds no text.
    """
    return str(_in_child(content, lambda: {"text": _read(content, kind, name)})["text"])[:MAX_CHARACTERS]


def _in_child(content: bytes, step: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    if len(content) > MAX_BYTES:
        raise UnreadableError(f"The file has {len(content):,} bytes; at most {MAX_BYTES:,} are read.")
    # Before the child is forked, which has it then: it reads libraries, but slowly.
    importlib.import_module("pypdf")

    def work(_item: str, _own: Path) -> dict[str, Any]:
        try:
            return {"done": step()}
        except UnreadableError as error:
            return {"problem": str(error)}

    try:
        [answer] = answers(["text"], work, limits=_LIMITS)
    except ChildError as error:
        raise UnreadableError(_DAMAGED) from error
    if answer.failure == Failure.TIME:
        raise UnreadableError("Reading this file takes too long.")
    value = answer.value if answer.failure is None and isinstance(answer.value, dict) else {}
    if not isinstance(value.get("done"), dict):
        raise UnreadableError(str(value.get("problem", _DAMAGED)))
    done: dict[str, Any] = value["done"]
    return done


def _read(content: bytes, kind: str, name: str) -> str:
    if content.startswith(b"%PDF-"):
        text = _pdf(content)
    else:
        if b"\x00" in content[:1024]:
            raise UnreadableError("This is neither a PDF nor a text. Send a PDF, a text file or a saved web page.")
        text = content.decode("utf-8", "replace")
        if (
            kind == "text/html"
            or name.lower().endswith((".html", ".htm"))
            or text[:500].lstrip().lower().startswith("<!")
        ):
            text = html_text(text)
    text = text.replace("\x00", "").strip()
    if not text:
        raise UnreadableError("No text was found in it. A scanned paper holds pictures of words only.")
    # Halves of characters, which some PDFs hold, are no text and cannot be stored.
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode()


def _pdf(content: bytes) -> str:
    from pypdf import PdfReader

    try:
        pages = PdfReader(io.BytesIO(content)).pages
        number = len(pages)
        texts, room = [], MAX_CHARACTERS
        for page in pages[:MAX_PAGES]:
            texts.append(page.extract_text()[:room])
            room -= len(texts[-1])
    except Exception as error:  # whatever the library makes of a hostile file, the child ends with it
        raise UnreadableError("This PDF is damaged or protected and cannot be read.") from error
    if number > MAX_PAGES:
        raise UnreadableError(f"The PDF has more than {MAX_PAGES} pages.")
    return "\n".join(texts)


class _Visible(HTMLParser):
    """Collects the text that a reader sees."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 (the signature)
        self._hidden += tag in _SKIPPED

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in _SKIPPED))

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)


def html_text(page: str) -> str:
    """The text that a reader of a web page sees.

    Examples
    --------
    >>> html_text("<!doctype html><style>p {}</style><p>Ten <b>cases</b></p>").split()
    ['Ten', 'cases']
    """
    parser = _Visible()
    parser.feed(page)
    parser.close()
    return " ".join(parser.pieces)
