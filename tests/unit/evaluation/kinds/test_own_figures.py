"""Figures of registration, image to image, several labels and regression match results and rankings."""

import html
import io

import nibabel
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from evaluation import metrics, problems
from evaluation.assessment import parse
from evaluation.figures.boxes import Pair, before_and_after
from evaluation.figures.case_pairs import case_pairs
from evaluation.figures.case_pictures import GAP
from evaluation.figures.error_groups import error_groups
from evaluation.figures.image_pairs import picture_of_pair, similarity_map
from evaluation.figures.label_map import label_map
from evaluation.reporting import build_report
from evaluation.reporting.kinds import kind_section
from evaluation.scoring import read_results, score_folders
from evaluation.scoring.table import write_results
from evaluation.wording import joined
from tests.unit.evaluation.kinds.test_figures import scored
from tests.unit.evaluation.kinds.test_value_figures import OVERALL, Printed

DOCUMENT = {"rankings": [{"algorithms": [{"name": "a"}, {"name": "b"}]}], "overall": None}


def own(name, figure):
    [matching] = [one for one in problems.get(name).evidence.figures if one.name == figure]
    return matching


def entry_of(document, metric, region=""):
    return next(one for one in document["rankings"] if one["metric"] == metric and (one["region"] or "") == region)


# Registration -----------------------------------------------------------------------------------------------------


def test_what_stands_before_is_the_value_of_a_field_of_zeros(tmp_path):
    document = problems.get("registration").samples.write_challenge(tmp_path, cases=3, algorithms=("near", "still"))
    for path in (tmp_path / "predictions/still").iterdir():
        field = nibabel.load(path)
        nibabel.save(nibabel.Nifti1Image(np.zeros(field.shape, dtype=np.float32), field.affine, field.header), path)
    assessment = parse(document)
    folders = {name: tmp_path / "predictions" / name for name in ("near", "still")}
    rows = score_folders(assessment, tmp_path / "references", folders).rows
    still = {row[1:4]: row.value for row in rows if row.algorithm == "still"}
    compared = [row for row in rows if row.before is not None]
    assert {row.metric for row in compared} == {"tre", "dsc"}
    for row in compared:
        assert row.before == pytest.approx(still[row[1:4]], rel=1e-12)
    table = tmp_path / "results.csv"
    write_results(rows, table)
    before_by_row = read_results(table).set_index(["algorithm", "case", "region", "metric"])["before"]
    assert before_by_row.notna().sum() == len(compared)
    assert all(before_by_row[row[:4]] == row.before for row in compared)


def test_a_pair_of_boxes_a_team_and_in_words_how_often_it_got_worse(tmp_path):
    assessment, results, _, document = scored("registration", tmp_path, cases=4)
    figure = own("registration", "before-and-after")
    entry = entry_of(document, "tre")
    plot = figure.of_entry(assessment, None, document, entry, results)
    before, *after = plot["data"]
    rows = results[results["metric"] == "tre"]
    assert sorted(before["y"]) == sorted(rows["before"])
    for trace in after:
        mine = rows[rows["algorithm"] == trace["name"]]
        assert sorted(trace["y"]) == sorted(mine["value"])
        worse = int((mine["value"] > mine["before"]).sum())
        [remark] = [words for words in plot["remarks"] if words.startswith(f"{trace['name']}: ")]
        assert remark.endswith(f"worse than before in {worse} of 4 cases.")
        assert f"median {mine['value'].median():.4g} mm, before {mine['before'].median():.4g} mm" in remark
    assert figure.of_entry(assessment, None, document, entry_of(document, "sdlogj"), results) is None
    assert figure.of_entry(assessment, None, document, OVERALL, results) is None
    bare = results.drop(columns="before")
    assert figure.of_entry(assessment, None, document, entry, bare) is None


def test_a_case_without_a_prediction_is_in_neither_box_and_is_counted(tmp_path):
    assessment, results, _, document = scored("registration", tmp_path, cases=4)
    rows = results.copy()
    lost = (rows["metric"] == "tre") & (rows["case"] == rows["case"].iloc[0])
    rows.loc[lost, ["value", "outcome"]] = [np.nan, "missing"]
    plot = own("registration", "before-and-after").of_entry(assessment, None, document, entry_of(document, "tre"), rows)
    assert {len(trace["y"]) for trace in plot["data"][1:]} == {3}
    assert len(plot["data"][0]["y"]) == 6
    assert plot["remarks"][-1] == "2 values that no prediction gave are in neither box."


@pytest.mark.parametrize(("higher", "worse"), [(True, 1), (False, 2)])
def test_what_is_worse_goes_by_the_direction_of_the_metric(higher, worse):
    pair = Pair(np.array([0.5, 0.5, 0.5, 0.5]), np.array([0.4, 0.6, 0.7, 0.5]))
    assert pair.worse(higher=higher) == worse
    plot = before_and_after(DOCUMENT, {"a": pair}, "q", what="DSC", unit="", higher=higher, most=4)
    assert plot["remarks"] == [f"a: median 0.55, before 0.5; worse than before in {worse} of 4 cases."]


# Image to image ---------------------------------------------------------------------------------------------------


def test_the_first_team_against_each_other_one_case_by_case(tmp_path):
    assessment, results, _, document = scored("image_to_image", tmp_path, cases=4)
    figure = own("image_to_image", "case-pairs")
    for entry in document["rankings"]:
        plot = figure.of_entry(assessment, None, document, entry, results)
        first, other = (row["name"] for row in entry["algorithms"])
        rows = results[(results["metric"] == entry["metric"]) & (results["region"] == (entry["region"] or ""))]
        wide = rows.pivot_table(index="case", columns="algorithm", values="value")
        dots = plot["data"][1]
        assert dots["x"] == wide[first].tolist()
        assert dots["y"] == wide[other].tolist()
        sign = 1 if entry["direction"] == "higher" else -1
        gains = sign * (wide[first] - wide[other])
        remark = f"{first} is better than {other} in {(gains > 0).sum()} and worse in {(gains < 0).sum()} of {len(wide)} cases that both have."
        assert plot["remarks"] == [remark]
    assert figure.of_entry(assessment, None, document, OVERALL, results) is None


def test_the_map_of_similarity_has_the_mean_that_the_metric_has():
    generator = np.random.default_rng(7)
    truth = generator.normal(100, 20, (40, 32))
    guess = truth + generator.normal(0, 15, truth.shape)
    width = float(truth.max() - truth.min())
    inner = similarity_map(truth, guess, width)[3:-3, 3:-3]
    low = float(truth.min())
    expected = metrics.ssim(truth, guess, data_range=(low, low + width)).value
    assert inner.mean() == pytest.approx(expected, rel=1e-10)
    same = similarity_map(truth, truth, width)
    assert same == pytest.approx(np.ones_like(truth))


@pytest.mark.parametrize(("edge", "panels"), [(16, 4), (6, 3)])
def test_a_picture_shows_the_map_where_a_window_fits(edge, panels):
    plane = np.add.outer(np.arange(edge), np.arange(edge)).astype(float)
    picture = Image.open(io.BytesIO(picture_of_pair(plane, plane + 1)))
    alone = Image.open(io.BytesIO(picture_of_pair(plane, None)))
    assert picture.width == panels * alone.width + (panels - 1) * GAP


def test_pairs_need_a_second_team_and_a_case_that_both_have():
    assert case_pairs(DOCUMENT, {"a": {"1": 0.5}}, "q", cases=1, what="x", unit="", higher=True, most=6) is None
    assert (
        case_pairs(DOCUMENT, {"a": {"1": 0.5}, "b": {"2": 0.5}}, "q", cases=2, what="x", unit="", higher=True, most=6)
        is None
    )


# Several labels ---------------------------------------------------------------------------------------------------


def test_a_cell_for_every_label_and_team_is_the_value_of_its_ranking(tmp_path):
    assessment, results, _, document = scored("multilabel_classification", tmp_path, cases=40)
    figure = own("multilabel_classification", "labels")
    assert figure.shows == "values", "it tells what the rankings of single labels tell"
    for use in assessment.metrics:
        entries = [one for one in document["rankings"] if one["metric"] == use.name and one["region"]]
        if len(entries) < 2:
            continue
        plot = figure.of_entry(assessment, None, document, entries[0], results)
        [cells] = plot["data"]
        labels = plot["layout"]["yaxis"]["ticktext"]
        teams = [row["name"] for row in entries[0]["algorithms"]]
        for label, row in zip(labels, cells["z"], strict=True):
            scores = {one["name"]: one["score"] for one in entry_of(document, use.name, label)["algorithms"]}
            assert row == [scores[team] for team in teams]
        best = {one["region"]: one["algorithms"][0]["score"] for one in entries}
        worst = (min if use.higher_is_better else max)(best.values())
        at_worst = [label for label in best if best[label] == worst]
        beginning = f"The best {use.title} of any algorithm is worst at {joined(at_worst)}: "
        assert (plot["remarks"] == []) if len(at_worst) == len(best) else plot["remarks"][0].startswith(beginning)


def test_one_label_makes_no_map_and_a_label_without_values_is_named():
    whole = {"a": 0.5, "b": 0.4}
    assert label_map({"x": whole}, ["a", "b"], "q", what="AUROC", higher=True) is None
    plot = label_map({"x": whole, "y": {"a": None, "b": None}}, ["a", "b"], "q", what="AUROC", higher=True)
    assert plot["remarks"] == ["No algorithm has a value at y."]


# Regression -------------------------------------------------------------------------------------------------------


@pytest.fixture
def numbers(tmp_path):
    assessment, results, evidence, document = scored("regression", tmp_path, cases=24)
    names = sorted(set(results.loc[results["case"] != "", "case"]))
    cases = pd.DataFrame({
        "case": names, "site": ["north", "south"] * 12, "scanner": ["x"] * 12 + ["y"] * 12, "patient": names,
    })  # fmt: skip
    return assessment, results, evidence, document, cases


def test_errors_in_the_groups_that_differ_most(numbers):
    assessment, results, evidence, document, cases = numbers
    figure = own("regression", "errors-in-groups")
    rows = results[(results["metric"] == "absolute_error") & (results["region"] == "age")].merge(cases, on="case")
    apart = {
        column: rows.groupby(column)["value"].mean().agg(lambda means: means.max() - means.min())
        for column in ("site", "scanner")
    }
    chosen = max(apart, key=apart.get)
    plot = figure.of_entry(assessment, evidence, document, entry_of(document, "rmse", "age"), results, cases)
    assert plot["layout"]["xaxis"]["title"]["text"] == f"{chosen} (cases)"
    assert "2 characteristics were looked at" in plot["remarks"][0]
    for trace in plot["data"]:
        mine = rows[rows["algorithm"] == trace["name"]]
        assert sorted(abs(value) for value in trace["y"]) == pytest.approx(sorted(mine["value"]))
        means = mine.groupby(chosen)["value"].mean()
        [remark] = [words for words in plot["remarks"] if words.startswith(f"{trace['name']}: ")]
        assert f"{means.max():.4g} a in {means.idxmax()} (12), the largest" in remark
        assert f"{means.min():.4g} a in {means.idxmin()} (12), the smallest" in remark
    assert plot["layout"]["shapes"], "signed errors have a line at zero"


def test_without_evidence_errors_are_absolute_and_without_groups_there_is_no_figure(numbers):
    assessment, results, evidence, document, cases = numbers
    figure, entry = own("regression", "errors-in-groups"), entry_of(document, "absolute_error", "age")
    plot = figure.of_entry(assessment, None, document, entry, results, cases)
    assert plot["layout"]["yaxis"]["title"]["text"] == "Absolute error (a)"
    assert not plot["layout"]["shapes"]
    for case_table in (None, cases[["case"]], cases[["case", "patient"]]):
        assert figure.of_entry(assessment, evidence, document, entry, results, case_table) is None


def test_of_many_groups_the_largest_are_shown():
    of_case = {f"{group}-{number}": f"g{group:02d}" for group in range(15) for number in range(5 + group % 3)}
    errors = {"a": dict.fromkeys(of_case, 1.0)}
    errors["a"]["0-0"] = 9.0
    plot = error_groups(DOCUMENT, errors, {"site": of_case}, signed=False, unit="", most=6)
    assert len(plot["layout"]["xaxis"]["ticktext"]) == 12
    assert "Shown are the 12 largest of 15 groups." in plot["remarks"]


def test_dots_over_the_reference_are_the_numbers_themselves(numbers):
    assessment, _, evidence, document, _ = numbers
    figure = own("regression", "prediction-and-reference")
    plot = figure.of_entry(assessment, evidence, document, entry_of(document, "rmse", "age"))
    errors = own("regression", "limits-of-agreement").of_entry(
        assessment, evidence, document, entry_of(document, "rmse", "age")
    )
    both = {}
    for one in (plot, errors):
        for trace in one["data"]:
            if trace.get("mode") == "markers":
                both.setdefault(trace["xaxis"], []).append(trace)
    for over_reference, over_mean in both.values():
        x, y = np.array(over_reference["x"]), np.array(over_reference["y"])
        assert over_mean["x"] == pytest.approx(((x + y) / 2).tolist())
        assert over_mean["y"] == pytest.approx((y - x).tolist())


# Report and print -------------------------------------------------------------------------------------------------

KINDS = ("registration", "image_to_image", "multilabel_classification", "regression")


@pytest.mark.parametrize("name", KINDS)
def test_each_stands_in_the_report_with_its_sentences_and_can_be_printed(name, tmp_path):
    assessment, results, evidence, document = scored(name, tmp_path, cases=24 if name == "regression" else 6)
    names = sorted(set(results.loc[results["case"] != "", "case"])) or [f"case-{n:02d}" for n in range(6)]
    cases = pd.DataFrame({"case": names, "site": (["north", "south"] * len(names))[: len(names)]})
    page = build_report(assessment, results, document=document, evidence=evidence, cases=cases)
    prints = Printed()
    kind_section(prints, assessment, document, evidence, results, cases=cases)
    assert all(files for files, _ in prints.figures)
    titles = {drawing["layout"]["title"]["text"].split("?")[0] for _, drawing in prints.figures}
    for figure in problems.get(name).evidence.figures:
        assert page.count(figure.title) >= 1, figure.name
        assert figure.title.rstrip("?") in titles
        assert figure.reading in html.unescape(page)
    for _, drawing in prints.figures:
        assert all(remark in html.unescape(page) for remark in drawing.get("remarks", []))
