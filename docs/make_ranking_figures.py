"""Makes the figures of `rankings.md` from the hippocampus example: scores it, ranks it, and photographs the figures.

Run from the top of the repository, with Chromium installed:

    python -m docs.make_ranking_figures

The numbers quoted in `rankings.md` are printed.
"""
# ruff: noqa: INP001, T201

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.assessment import parse
from evaluation.cli import main as evaluation
from evaluation.cli.inputs import read_results
from evaluation.figures import blob_plot, dot_and_box_plot, line_plot, sentences, significance_map
from evaluation.ranking import rank
from evaluation.ranking.comparison import across_schemes
from evaluation.ranking.gaming import gaming_check
from evaluation.ranking.raw import raw_values
from evaluation.reporting import find_browser
from evaluation.reporting.parts import Page, document_html

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "hippocampus"
WIDTH = 960


def photograph(figure: Mapping[str, Any], path: Path, folder: Path) -> None:
    """Draw one figure in Chromium and keep the picture."""
    browser = find_browser()
    if browser is None:
        message = "the figures need Chromium"
        raise SystemExit(message)
    page = Page()
    page.html.append("")
    page.figure(figure, "")
    html = document_html("", page).replace("<figcaption>", '<figcaption hidden="hidden">')
    html = html.replace("</style>", "body{max-width:none;padding:0}figure{margin:0}nav,.modebar{display:none}</style>")
    source = folder / "figure.html"
    source.write_text(html, encoding="utf-8")
    height = figure["layout"].get("height", 420)
    command = [
        browser,
        "--headless=new",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--window-size={WIDTH},{height}",
        "--virtual-time-budget=20000",
        f"--user-data-dir={folder / 'profile'}",
        f"--screenshot={path.resolve()}",
        source.as_uri(),
    ]
    if os.geteuid() == 0:
        command.insert(1, "--no-sandbox")
    subprocess.run(command, check=True, capture_output=True, timeout=180)  # noqa: S603  (found above)


def main() -> None:
    """Make all figures and print what the page quotes."""
    images = HERE / "images"
    images.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        registered = json.loads((EXAMPLE / "challenge.json").read_text())["assessment"]
        (folder / "assessment.json").write_text(json.dumps(registered))
        arguments = ["score", folder / "assessment.json", "--references", EXAMPLE / "references"]
        arguments += ["--predictions", EXAMPLE / "predictions", "--each", "--output", folder / "results.csv"]
        if evaluation([str(argument) for argument in arguments]):
            message = "scoring failed"
            raise SystemExit(message)
        assessment = parse(registered)
        results = read_results([folder / "results.csv"], {})
        document = rank(assessment, results)
        schemes = across_schemes(assessment, results)
        assd = next(c for c in schemes if (c.get("metric"), c.get("region")) == ("assd", "anterior"))
        raw = next(r for r in raw_values(assessment, results) if (r["metric"], r["region"]) == ("dsc", "anterior"))
        figures = {
            "ranking-blob": blob_plot(document),
            "ranking-schemes": line_plot(document, assd),
            "ranking-values": dot_and_box_plot(document, raw),
            "ranking-significance": significance_map(document, metric="dsc", region="anterior"),
        }
        for title, figure in figures.items():
            photograph(figure, images / f"{title}.png", folder)
        print(*sentences(document), sep="\n")
        for check in gaming_check(assessment, results):
            print(check["metric"], check["region"], "would have won:", check["could_have_won_ignored"])


if __name__ == "__main__":
    main()
