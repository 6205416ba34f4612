"""Figures of a kind about values of single cases match the results table."""

import numpy as np
import pytest

from evaluation import problems
from evaluation.figures.publication import printed
from evaluation.reporting import build_report
from evaluation.reporting.kinds import kind_section
from tests.unit.evaluation.kinds.test_figures import scored

OVERALL = {"over": ["metric"]}


def drawn(name, figure, assessment, results, document):
    [own] = [one for one in problems.get(name).evidence.figures if one.name == figure]
    return own.of_entry(assessment, None, document, OVERALL | document["rankings"][0], results)


def test_the_curve_of_landmarks_gives_the_share_that_the_registered_metric_gives(tmp_path):
    assessment, results, _, document = scored("landmarks", tmp_path)
    made = drawn("landmarks", "points-within", assessment, results, document)
    [use] = [one for one in assessment.metrics if one.id == "success_detection_rate"]
    radius = use.options["radius"]
    assert radius in [mark["x0"] for mark in made["layout"]["shapes"]]
    for trace in made["data"]:
        reached = trace["y"][np.searchsorted(trace["x"], radius, side="right") - 1]
        rates = results[(results["metric"] == use.name) & (results["algorithm"] == trace["name"])]["value"]
        assert reached == pytest.approx(rates.mean())


def test_a_point_that_was_left_out_is_within_no_distance(tmp_path):
    problem = problems.get("landmarks")
    problem.samples.write_challenge(tmp_path, cases=12)
    table = tmp_path / "predictions/near/landmarks.csv"
    rows = table.read_text().splitlines()
    assessment, results, _, document = scored_again(tmp_path, "\n".join([rows[0], *rows[2:]]) + "\n")
    made = drawn("landmarks", "points-within", assessment, results, document)
    ends = {trace["name"]: trace["y"][-1] for trace in made["data"]}
    assert ends == {"near": pytest.approx(35 / 36), "far": 1.0}
    boxes = drawn("landmarks", "error-by-point", assessment, results, document)
    assert {trace["name"]: len(trace["y"]) for trace in boxes["data"]} == {"near": 35, "far": 36}


def scored_again(folder, table):
    """The challenge with another table of the better algorithm."""
    from evaluation.assessment import parse
    from evaluation.ranking import rank
    from evaluation.scoring import score_folders
    from tests.unit.evaluation.kinds.test_figures import evidence_of, table_of

    example = problems.get("landmarks").samples.write_challenge(folder / "document", cases=12)
    assessment = parse(
        example | {"ranking": {"scheme": "aggregate_then_rank"}, "uncertainty": {"bootstrap": 20, "seed": 1}}
    )
    (folder / "predictions/near/landmarks.csv").write_text(table)
    submitted = {name: folder / "predictions" / name for name in ("near", "far")}
    made = score_folders(assessment, folder / "references", submitted)
    results, evidence = table_of(made, folder), evidence_of(assessment, made)
    return assessment, results, evidence, rank(assessment, results, evidence=evidence)


def test_a_point_a_case_of_overlap_and_folding(tmp_path):
    assessment, results, _, document = scored("registration", tmp_path, cases=4)
    made = drawn("registration", "overlap-and-folding", assessment, results, document)
    for trace in made["data"]:
        own = results[results["algorithm"] == trace["name"]]
        assert sorted(trace["y"]) == sorted(own[own["metric"] == "dsc"]["value"])
        assert sorted(trace["x"]) == sorted(own[own["metric"] == "folding_fraction"]["value"])


def test_they_stand_once_in_the_report(tmp_path):
    assessment, results, _, document = scored("landmarks", tmp_path)
    page = build_report(assessment, results, document=document)
    for figure in problems.get("landmarks").evidence.figures:
        assert page.count(f"{figure.title}</h3>") == 1


class Printed:
    """A document that prints each figure as a report does, and takes no notice of the rest."""

    def __init__(self):
        self.figures = []

    def figure(self, made, reading):
        self.figures.append((printed(made, description=reading), made))

    def heading(self, level, text):
        pass

    def points(self, texts):
        pass


@pytest.mark.parametrize("name", [problem.id for problem in problems.scored_problems() if problem.evidence.figures])
def test_every_figure_of_a_kind_can_be_printed(name, tmp_path):
    assessment, results, evidence, document = scored(name, tmp_path)
    page = Printed()
    kind_section(page, assessment, document, evidence, results)
    assert page.figures
    assert all(files for files, _ in page.figures)


def test_boxes_of_a_point_stand_side_by_side_above_its_name(tmp_path):
    assessment, results, _, document = scored("landmarks", tmp_path)
    made = drawn("landmarks", "error-by-point", assessment, results, document)
    axis = made["layout"]["xaxis"]
    assert axis["ticktext"] == ["apex", "base", "centre"]
    places = [sorted(set(trace["x"])) for trace in made["data"]]
    assert len(set(map(tuple, places))) == len(places) == 2
    assert all(np.array_equal(np.round(own), axis["tickvals"]) for own in places)
    # On paper nobody points at a box to learn whose it is.
    svg = printed(made).svg.decode()
    assert all(f"<!-- {trace['name']} -->" in svg or f">{trace['name']}<" in svg for trace in made["data"])
