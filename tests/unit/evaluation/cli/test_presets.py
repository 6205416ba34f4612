"""``python -m evaluation presets``: what there is, each document, and values of a tracker from table to ranking."""

import json

import pytest

from evaluation.assessment import parse
from evaluation.assessment.presets import NAMES, about
from evaluation.cli import main


def test_all_are_named_with_what_they_do(capsys):
    assert main(["presets"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert all(f"{name}: {about(name)}" in output for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_printed_that_can_be_kept(name, capsys):
    assert main(["presets", name]) == 0
    assert parse(json.loads(capsys.readouterr().out))


def test_one_that_there_is_not_is_told_in_one_line(capsys):
    assert main(["presets", "hota"]) == 2
    assert capsys.readouterr().err == "presets: no preset is called 'hota'; there are ctc, fets, mot, msd, robustmis\n"


@pytest.mark.parametrize(
    ("name", "metrics"), [("ctc", ("seg", "det", "tra", "lnk")), ("mot", ("hota", "idf1", "mota"))]
)
def test_values_of_a_tracker_are_scored_and_ranked(name, metrics, tmp_path, capsys):
    main(["presets", name])
    (tmp_path / "assessment.json").write_text(capsys.readouterr().out)
    references = tmp_path / "references"
    references.mkdir()
    (references / "cases.csv").write_text("case\n01\n02\n")
    for shift, tracker in enumerate(("first", "second")):
        folder = tmp_path / "predictions" / tracker
        folder.mkdir(parents=True)
        rows = [f"{case},{metric},{0.9 - 0.2 * shift}" for case in ("01", "02") for metric in metrics]
        rows = rows[: -len(metrics)] if shift else rows
        (folder / "values.csv").write_text("\n".join(["case,metric,value", *rows]) + "\n")
    places = [
        str(tmp_path / each) for each in ("assessment.json", "references", "predictions", "results.csv", "ranking.json")
    ]
    assessment, references, predictions, results, ranking = places
    scoring = ["score", assessment, "--references", references, "--predictions", predictions, "--each"]
    assert main([*scoring, "--output", results]) == 0
    assert main(["rank", assessment, "--results", results, "--output", ranking]) == 0
    [overall] = [json.loads((tmp_path / "ranking.json").read_text())["overall"]]
    assert [row["name"] for row in overall["algorithms"]] == ["first", "second"]
    missing = [line for line in (tmp_path / "results.csv").read_text().splitlines() if ",missing," in line]
    assert len(missing) == len(metrics), "the second case of the second tracker lacks every value"
