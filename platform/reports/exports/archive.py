"""A report as Markdown beside its figures, in one archive."""

import io
import zipfile
from typing import TYPE_CHECKING, Final

from evaluation.designs.exports import as_markdown
from reports.content import forms_of
from reports.exports.outline import Content, blocks, without_pages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.figures.publication import Printed

_EPOCH: Final = (2026, 1, 1, 0, 0, 0)


def as_archive(content: Content, figures: "Mapping[str, Printed]") -> bytes:
    """``report.md`` with the figures as SVG and PNG; the same report gives the same bytes."""
    text = as_markdown(without_pages(blocks(content)))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("report.md", _EPOCH), text, zipfile.ZIP_DEFLATED)
        for name, figure in figures.items():
            for file, data in forms_of(name, figure).items():
                packed = zipfile.ZIP_STORED if file.endswith(".png") else zipfile.ZIP_DEFLATED
                archive.writestr(zipfile.ZipInfo(f"figures/{file}", _EPOCH), data, packed)
    return buffer.getvalue()
