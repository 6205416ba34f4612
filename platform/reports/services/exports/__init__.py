"""The files of a report: content, a page of its own, PDF, Word, and Markdown with the figures."""

from typing import Any, Final

from evaluation.documents.archive import as_archive
from evaluation.documents.figures import forms_of
from reports.models import Report
from reports.services import storing
from reports.services.challenge_report import Built, Progress
from reports.services.exports.outline import blocks, without_pages
from reports.services.exports.page import as_html
from typesetting.services.setting import set_document

VERSION: Final = 2
"""Raised when the same facts would give another report."""
STEPS: Final = 4
FORMATS: Final = {
    "html": ("text/html; charset=utf-8", "HTML, self-contained"),
    "pdf": ("application/pdf", "PDF"),
    "docx": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "Word"),
    "zip": ("application/zip", "Markdown and figures"),
}

__all__ = ["FORMATS", "STEPS", "VERSION", "blocks", "write"]


def write(report: Report, built: Built, *, progress: Progress) -> dict[str, str]:
    """Write all files of a report; returns what each is called in the private storage."""
    folder = f"reports/{report.challenge_id}/{report.inputs_digest}"
    content: dict[str, Any] = built.content
    done = built.steps
    files = {"content": storing.keep_content(f"{folder}/content.json.gz", content)}
    for name, figure in built.figures.items():
        for file, data in forms_of(name, figure).items():
            files[file] = storing.keep(f"{folder}/{file}", data)
    progress(done, done, "Page")
    files["html"] = storing.keep(f"{folder}/report.html", as_html(content, built.figures))
    progress(done + 1, done, "PDF")
    pdf = set_document(blocks(content), title=content["title"], ending="pdf", figures=built.figures)
    files["pdf"] = storing.keep(f"{folder}/report.pdf", pdf)
    progress(done + 2, done, "Word")
    words = without_pages(blocks(content))
    word = set_document(words, title=content["title"], ending="docx", figures=built.figures)
    files["docx"] = storing.keep(f"{folder}/report.docx", word)
    progress(done + 3, done, "Markdown")
    files["zip"] = storing.keep(f"{folder}/report.zip", as_archive(without_pages(blocks(content)), built.figures))
    return files
