"""A report is one self-contained file that matches the ranking and names how to recompute it."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from docx import Document as WordDocument

from evaluation.assessment import parse
from evaluation.claims.ranking import headline
from evaluation.cli import main
from evaluation.figures import publication
from evaluation.ranking import digest, rank
from evaluation.reporting import best_of, build_report

ASSESSMENT = {
    "problem": "semantic_segmentation",
    "regions": [{"name": "organ", "labels": [1]}, {"name": "tumour", "labels": [2]}],
    "metrics": [{"id": "dsc"}, {"id": "assd"}],
    "uncertainty": {"bootstrap": 60},
}


def results_table():
    generator = np.random.default_rng(3)
    rows = []
    for case in range(18):
        for index, name in enumerate(("alpha", "beta", "<i>gamma</i>")):
            for region in ("organ", "tumour"):
                quality = float(np.clip(0.9 - 0.08 * index + generator.normal(0, 0.05), 0, 1))
                rows.append((name, f"case-{case:02d}", region, "dsc", round(quality, 4), "ok", 120.0))
                rows.append((name, f"case-{case:02d}", region, "assd", round(5 * (1 - quality), 4), "ok", 120.0))
    table = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"])
    table.loc[10, ["value", "outcome"]] = [np.nan, "missing"]
    return table


def case_table():
    volumes = np.linspace(1, 3, 18)
    return pd.DataFrame({"case": [f"case-{case:02d}" for case in range(18)], "volume": volumes.round(3)})


@pytest.fixture(scope="module")
def report():
    return build_report(
        parse(ASSESSMENT),
        results_table(),
        cases=case_table(),
        title="A small challenge",
        characteristics=["volume"],
        justification="Both metrics matter alike to the clinicians.",
        today=dt.date(2026, 1, 2),
    )


def without_library(report):
    """The report without the drawing library, which is long and full of addresses."""
    return re.sub(r"<script>.*?</script>", "", report, flags=re.DOTALL)


def test_it_loads_nothing_from_elsewhere(report):
    own = without_library(report)
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!#)""", own)
    assert "@import" not in own
    assert "url(" not in own


def test_it_says_what_the_ranking_says_and_how_to_repeat_it(report):
    document = rank(parse(ASSESSMENT), results_table(), cases=case_table())
    own = without_library(report)
    escaped = headline(document).replace("<", "&lt;").replace(">", "&gt;")
    assert escaped in own
    assert digest(document) in own
    assert document["assessment"] in own
    assert "podium-resample-1" in own
    assert "Seed 1, 60 bootstrap samples" in own
    assert "2026-01-02" in own
    assert "Both metrics matter alike to the clinicians." in own


def test_it_has_every_section_in_the_order_of_the_questions(report):
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", report)
    assert headings == [
        "The ranking",
        "The raw data",
        "How stable is it?",
        "Across rankings",
        "Would withholding bad cases have paid?",
        "Would entering copies have paid?",
        "What makes cases hard?",
        "To compute it again",
        "References",
    ]


def test_every_column_is_named_and_what_means_nothing_of_three_is_not_told(report):
    assert not re.search(r"<th[^>]*>\s*</th>", without_library(report))
    assert "95 % interval of the score" in report
    assert "Range drawn" in report
    assert "Agreement of resamples" not in report  # τ of fewer than four algorithms


def test_what_comes_from_outside_cannot_become_markup(report):
    own = without_library(report)
    assert "&lt;i&gt;gamma&lt;/i&gt;" in own
    outside_figures = re.sub(r'<script type="application/json".*?</script>', "", report, flags=re.DOTALL)
    assert "<i>gamma</i>" not in re.sub(r"<script>.*?</script>", "", outside_figures, flags=re.DOTALL)


def test_its_figures_are_json_that_cannot_end_the_script(report):
    figures = re.findall(
        r'<script type="application/json" data-figure="(f\d+)">(.*?)</script>', report, flags=re.DOTALL
    )
    assert len(figures) > 20
    for name, text in figures:
        values = json.loads(text)
        assert values["layout"]["title"]["text"]
        assert f'id="{name}"' in report


def test_the_best_of_a_field_keep_the_ranks_of_the_whole_field():
    document = rank(parse(ASSESSMENT), results_table())
    short = best_of(document, 2)
    assert [a["name"] for a in short["overall"]["algorithms"]] == [
        a["name"] for a in document["overall"]["algorithms"][:2]
    ]
    for entry, whole in zip(short["rankings"], document["rankings"], strict=True):
        assert len(entry["algorithms"]) == len(entry["p_values"]) == 2
        ranks = {a["name"]: a["rank"] for a in whole["algorithms"]}
        assert all(a["rank"] == ranks[a["name"]] and len(a["rank_frequencies"]) == 3 for a in entry["algorithms"])


def test_ties_at_the_edge_are_all_kept():
    rows = [(name, str(case), value) for case in range(4) for name, value in (("a", 0.9), ("b", 0.5), ("c", 0.5))]
    table = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}
    document = rank(parse(table), pd.DataFrame(rows, columns=["algorithm", "case", "value"]), bootstrap=5)
    assert len(best_of(document, 2)["rankings"][0]["algorithms"]) == 3
    assert len(best_of(document, 1)["rankings"][0]["algorithms"]) == 1


@pytest.fixture
def files(tmp_path):
    (tmp_path / "assessment.json").write_text(json.dumps(ASSESSMENT))
    results_table().to_csv(tmp_path / "results.csv", index=False)
    case_table().to_csv(tmp_path / "cases.csv", index=False)
    return tmp_path


def run(files, *arguments):
    return main(
        ["report", str(files / "assessment.json"), "--results", str(files / "results.csv"), *map(str, arguments)]
    )


def test_the_command_writes_the_report(files, capsys):
    assert run(files, "--output", files / "report.html", "--top", "2", "--bootstrap", "20") == 0
    assert capsys.readouterr().out.strip() == str(files / "report.html")
    page = (files / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "the algorithms of the first 2 ranks" in page


def test_subgroups_and_a_mixed_model_are_added_when_asked_for(files, capsys):
    table = case_table().assign(site=["north"] * 9 + ["south"] * 9)
    table.to_csv(files / "cases.csv", index=False)
    one = {**ASSESSMENT, "regions": ASSESSMENT["regions"][:1], "metrics": [{"id": "dsc"}]}
    (files / "assessment.json").write_text(json.dumps(one))
    options = ("--cases", files / "cases.csv", "--subgroups", "site", "--mixed-model", "--bootstrap", "5")
    assert run(files, "--output", files / "report.html", *options) == 0
    capsys.readouterr()
    own = without_library((files / "report.html").read_text())
    assert "Cases by group: north 9, south 9." in own
    assert "A ranking from a mixed model" in own
    assert own.count("Do the algorithms differ at all?") == 1


def test_numbered_sites_are_sites_and_the_field_is_explained_with_its_registered_units(files, capsys):
    table = case_table().assign(site=["1", "2", "3"] * 6, patient=[f"p{case // 2}" for case in range(18)])
    table.to_csv(files / "cases.csv", index=False)
    levels = {"levels": ["case", "patient"], "operator": "mean"}
    one = {**ASSESSMENT, "regions": ASSESSMENT["regions"][:1], "metrics": [{"id": "assd"}], "aggregation": levels}
    (files / "assessment.json").write_text(json.dumps(one))
    options = (
        "--cases",
        files / "cases.csv",
        "--subgroups",
        "site",
        "--characteristics",
        "volume,site",
        "--bootstrap",
        "5",
    )
    assert run(files, "--output", files / "report.html", *options) == 0
    capsys.readouterr()
    own = without_library((files / "report.html").read_text())
    assert "Cases by group: 1 6, 2 6, 3 6." in own
    assert re.search(r"Model: value ~ algorithm . volume . site, random intercepts patient", own), re.findall(
        r"(?:Model|No fit).{80}", own
    )
    assert "2 characteristics with 3 effects were looked at" in own


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--top", "0"), "--top: 0"),
        (("--subgroups", "site"), "--subgroups needs --cases"),
        (("--characteristics", "volume"), "needs --cases"),
        (("--bootstrap", "-1"), "--bootstrap: -1"),
    ],
)
def test_wrong_options_are_one_line_and_2(files, capsys, arguments, words):
    assert run(files, "--output", files / "report.html", *arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.fixture(scope="module")
def printed_figures():
    """Return the printed figures of this file by their content, which is the same in all formats of a report."""
    return {}


@pytest.fixture
def one_ranking(files, printed_figures, monkeypatch):
    """Return the folder of a report that prints each figure once for all tests."""
    original = publication.printed

    def printed_once(figure, *arguments, **options):
        key = json.dumps([figure, arguments, options], sort_keys=True, default=str)
        if key not in printed_figures:
            printed_figures[key] = original(figure, *arguments, **options)
        return printed_figures[key]

    monkeypatch.setattr(publication, "printed", printed_once)
    small = results_table().query("region == 'organ'")
    small.to_csv(files / "results.csv", index=False)
    one = {**ASSESSMENT, "regions": ASSESSMENT["regions"][:1], "metrics": [{"id": "dsc"}]}
    (files / "assessment.json").write_text(json.dumps(one))
    return files


def test_the_same_as_pdf_word_and_markdown_without_a_browser(one_ranking, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    names = ("report.pdf", "report.docx", "report.zip")
    for name in names:
        assert run(one_ranking, "--output", one_ranking / name, "--bootstrap", "20") == 0
    pdf, word, archive = ((one_ranking / name).read_bytes() for name in names)
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 50_000
    paragraphs = [paragraph.text for paragraph in WordDocument(io.BytesIO(word)).paragraphs]
    with zipfile.ZipFile(io.BytesIO(archive)) as parts:
        text = parts.read("report.md").decode()
        figures = re.findall(r"\]\((figures/[^)]+)\)", text)
        assert figures
        assert set(figures) <= set(parts.namelist())
    said = headline(rank(parse(json.loads((one_ranking / "assessment.json").read_text())),
                         pd.read_csv(one_ranking / "results.csv"), bootstrap=20))  # fmt: skip
    assert said in paragraphs
    assert re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", said) in text
    assert "<i>gamma</i>" not in text


def test_a_report_can_be_had_as_html_and_pdf_at_once(one_ranking):
    page, paper = one_ranking / "report.html", one_ranking / "paper.pdf"
    assert run(one_ranking, "--output", page, "--pdf", paper, "--bootstrap", "20") == 0
    assert page.read_text().startswith("<!doctype html>")
    assert paper.read_bytes().startswith(b"%PDF")
