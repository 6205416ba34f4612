"""From an uploaded file or a fetched page to its text, within bounds.

A PDF is read in a child process with limits on time and memory: its text is all that comes back.
"""

import subprocess
import sys
from html.parser import HTMLParser
from typing import Final

MAX_CHARACTERS: Final = 400_000
MAX_BYTES: Final = 10 * 1024 * 1024
MAX_PAGES: Final = 200
_SECONDS: Final = 20
_MEMORY: Final = 1024**3
_SKIPPED: Final = frozenset({"script", "style", "noscript", "template", "svg"})
_CHILD: Final = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (%(memory)d, %(memory)d))
resource.setrlimit(resource.RLIMIT_CPU, (%(seconds)d, %(seconds)d))
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
import io
from pypdf import PdfReader
pages = PdfReader(io.BytesIO(sys.stdin.buffer.read())).pages
if len(pages) > %(pages)d:
    sys.exit(3)
room = %(room)d
for page in pages:
    text = page.extract_text()[:room]
    room -= len(text)
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\\n")
"""


class UnreadableError(ValueError):
    """A file that gives no text; the message is for the person who sent it."""


def text_of(content: bytes, *, kind: str = "", name: str = "") -> str:
    """The text of a PDF, a web page or a plain file.

    Raises
    ------
    UnreadableError
        When it is too large, damaged, protected, or holds no text.
    """
    if len(content) > MAX_BYTES:
        raise UnreadableError(f"The file has {len(content):,} bytes; at most {MAX_BYTES:,} are read.")
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
    return text[:MAX_CHARACTERS]


def _pdf(content: bytes) -> str:
    script = _CHILD % {"memory": _MEMORY, "seconds": _SECONDS, "pages": MAX_PAGES, "room": MAX_CHARACTERS}
    try:
        done = subprocess.run(  # noqa: S603 (our own interpreter and script)
            [sys.executable, "-I", "-c", script], input=content, capture_output=True, timeout=_SECONDS + 5, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnreadableError("Reading this PDF takes too long.") from None
    if done.returncode == 3:
        raise UnreadableError(f"The PDF has more than {MAX_PAGES} pages.")
    if done.returncode:
        raise UnreadableError("This PDF is damaged or protected and cannot be read.")
    return done.stdout.decode("utf-8", "replace")


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
