"""Makes the figures of `rankings.md` from the hippocampus example: scores it, ranks it, and draws the figures.

Run from the top of the repository:

    python -m docs.make_ranking_figures

The numbers quoted in `rankings.md` are printed.
"""
# ruff: noqa: INP001, T201

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from evaluation.assessment import parse
from evaluation.cli import main as evaluation
from evaluation.cli.inputs import read_results
from evaluation.figures import blob_plot, dot_and_box_plot, line_plot, significance_map
from evaluation.figures.publication import printed
from evaluation.ranking import rank
from evaluation.ranking.comparison import across_schemes
from evaluation.ranking.gaming import gaming_check
from evaluation.ranking.raw import raw_values

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "hippocampus"


def main() -> None:
    """Make all figures and print what the page quotes."""
    from evaluation.claims.ranking import sentences  # asks the figures that are imported above

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
            (images / f"{title}.png").write_bytes(printed(figure, dpi=140).png)
        print(*sentences(document), sep="\n")
        for check in gaming_check(assessment, results):
            print(check["metric"], check["region"], "would have won:", check["could_have_won_ignored"])


if __name__ == "__main__":
    main()
