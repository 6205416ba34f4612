"""The files of a report: content, the paper as HTML, PDF, Word and LaTeX, and item by item what the paper leaves out."""

from typing import Any, Final

from core.typesetting.services.setting import set_document
from evaluation.documents import Block
from evaluation.documents.archive import as_archive
from evaluation.documents.figures import forms_of
from evaluation.documents.latex import as_latex_archive
from evaluation.documents.page import as_page
from reports.domain.paper import paper_blocks
from reports.models import Report
from reports.services import storing
from reports.services.challenge_report import Built, Progress
from reports.services.exports.outline import blocks
from reports.services.exports.page import as_html
from reports.services.exports.wall import wall

VERSION: Final = 5
"""Raised when the same facts would give another report."""
STEPS: Final = 5
WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FORMATS: Final = {
    "pdf": ("application/pdf", "PDF"),
    "docx": (WORD, "Word"),
    "html": ("text/html; charset=utf-8", "HTML"),
    "tex.zip": ("application/zip", "LaTeX"),
    "items.html": ("text/html; charset=utf-8", "Item by item, with all figures"),
    "zip": ("application/zip", "Item by item, Markdown and figures"),
}

__all__ = ["FORMATS", "STEPS", "VERSION", "blocks", "paper_of", "write"]


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
    paper, title = paper_of(content), content["title"]
    paper_figures = {block.name for block in paper if block.kind == "figure"}
    figures = {name: figure for name, figure in built.figures.items() if name in paper_figures}
    page = as_page(paper, title=title, figures=figures).encode()
    files["html"] = storing.keep(f"{folder}/report.html", page)
    progress(done + 1, done, "PDF")
    pdf = set_document(paper, title=title, ending="pdf", figures=figures)
    files["pdf"] = storing.keep(f"{folder}/report.pdf", pdf)
    progress(done + 2, done, "Word")
    word = set_document(paper, title=title, ending="docx", figures=figures)
    files["docx"] = storing.keep(f"{folder}/report.docx", word)
    progress(done + 3, done, "LaTeX")
    files["tex.zip"] = storing.keep(f"{folder}/report.tex.zip", as_latex_archive(paper, figures))
    progress(done + 4, done, "Item by item")
    files["items.html"] = storing.keep(f"{folder}/items.html", as_html(content, built.figures))
    items = list(blocks(content))
    named = {block.name for block in items if block.kind == "figure"}
    drawn = {name: figure for name, figure in built.figures.items() if name in named}
    files["zip"] = storing.keep(f"{folder}/report.zip", as_archive(items, drawn))
    return files


def paper_of(content: dict[str, Any]) -> list[Block]:
    """The report as it is read: a paper about the challenge, or the report of a team."""
    return paper_blocks(content) if content["score"] else [*wall(content), *blocks(content, title="Details")]
