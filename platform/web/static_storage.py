"""Static files as browsers get them: under names that follow their content, and the style sheets of all pages as one.

Ten style sheets are ten requests before anything is painted; a browser asks for six at a time.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from whitenoise.storage import CompressedManifestStaticFilesStorage

from evaluation import durable
from web.storing import DurableStorage

STYLE_SHEETS: Final = (
    "tokens",
    "base",
    "layout",
    "chrome",
    "components",
    "wayfinding",
    "forms",
    "data",
    "challenges",
    "notifications",
)
"""In the order in which they apply; each is a file of `static/css`."""
JOINED: Final = "css/site.css"


class JoiningStorage(DurableStorage, CompressedManifestStaticFilesStorage):
    """Whitenoise's storage, which also writes the style sheets of all pages into one."""

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Join the style sheets before files are renamed; addresses in the parts stay valid in the joined file.

        The joined file is in the same folder as the parts.
        """
        if not dry_run:
            parts = [Path(self.path(f"css/{name}.css")).read_text("utf-8") for name in STYLE_SHEETS]
            durable.write_text(Path(self.path(JOINED)), "\n".join(parts))
            paths = {**paths, JOINED: (self, JOINED)}
        yield from super().post_process(paths, dry_run, **options)
