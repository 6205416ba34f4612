"""Every figure answers one question, holds the numbers of the document, and can be drawn with 3 and with 40 algorithms."""

from __future__ import annotations

import json
import math
import re
from functools import cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from evaluation.assessment import parse
from evaluation.claims.ranking import headline, sentences, sentences_of
from evaluation.figures import (
    blob_across_tasks,
    blob_by_algorithm,
    blob_plot,
    colours,
    contrasts,
    dendrogram,
    dot_and_box_plot,
    forest_plot,
    groups,
    interval_strip,
    interval_svg,
    line_plot,
    marks,
    parallel_cases,
    podium_plot,
    quantile_plot,
    ranking_heatmap,
    significance_map,
    stacked_frequencies,
    summary_table,
    tau_table,
    violin_plot,
)
from evaluation.figures.blob import MOST_CIRCLES
from evaluation.figures.cases import case_map
from evaluation.figures.markup import bold, for_plotly, plain
from evaluation.figures.publication import printed
from evaluation.ranking import rank
from evaluation.ranking.comparison import across_schemes
from evaluation.ranking.mixed_model import strengths_and_weaknesses
from evaluation.ranking.raw import raw_values
from evaluation.ranking.tasks import across_tasks
from tests.unit.evaluation.ranking_vectors import FOLDER

TABLE = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}]})
CARTESIAN = {"scatter", "bar", "box", "heatmap"}


def results_of(algorithms, cases=25, spread=0.05, tasks=("first", "second", "third")):
    generator = np.random.default_rng(algorithms)
    rows = []
    for number, task in enumerate(tasks):
        shift = generator.normal(0, 0.05, algorithms)
        for case in range(cases):
            for index in range(algorithms):
                value = 0.9 - 0.4 * index / algorithms + shift[index] * number + generator.normal(0, spread)
                rows.append((task, f"algorithm {index:02d}", f"{task} {case}", round(float(np.clip(value, 0, 1)), 4)))
    return pd.DataFrame(rows, columns=["task", "algorithm", "case", "value"])


@cache
def example(algorithms):
    results = results_of(algorithms)
    document = rank(TABLE, results, bootstrap=100)
    return document, raw_values(TABLE, results), across_schemes(TABLE, results), across_tasks(document)


def figures(algorithms):
    document, raw, schemes, across = example(algorithms)
    analysis = strengths_and_weaknesses(
        pd.read_csv(FOLDER / "mixed_model.csv"), characteristics=["smoke", "motion"], random=["patient", "image"]
    )
    return {
        "blob": blob_plot(document, task="second"),
        "map": significance_map(document, task="second"),
        "map without adjustment": significance_map(document, task="second", adjusted=False),
        "violin": violin_plot(document),
        "box": dot_and_box_plot(document, raw[1]),
        "podium": podium_plot(document, raw[1]),
        "heatmap": ranking_heatmap(document, raw[1]),
        "parallel": parallel_cases(document, raw[1]),
        "lines": line_plot(document, schemes[1]),
        "strip": interval_strip(document, task="second"),
        "across": blob_across_tasks(document, across),
        "by algorithm": blob_by_algorithm(document, "algorithm 01"),
        "stacked": stacked_frequencies(document, "algorithm 01"),
        "dendrogram": dendrogram(across),
        "average": dendrogram(across, "average"),
        "forest": forest_plot(analysis),
        "forest of one": forest_plot(analysis, "A1"),
        "quantiles": quantile_plot(analysis["all"]),
    }


@pytest.mark.parametrize("algorithms", [3, 40])
def test_every_figure_is_valid_asks_a_question_and_leaves_the_ground_to_the_page(algorithms):
    for name, figure in figures(algorithms).items():
        go.Figure(figure)
        assert json.loads(json.dumps(figure, allow_nan=False)) == figure, name
        title = figure["layout"]["title"]["text"]
        assert "?" in title, name
        assert figure["layout"]["paper_bgcolor"] == figure["layout"]["plot_bgcolor"] == "rgba(0,0,0,0)"
        assert {trace["type"] for trace in figure["data"]} <= CARTESIAN
        assert "font" not in figure["layout"], name


def luminance(colour):
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("algorithms", [3, 40])
def test_each_algorithm_looks_the_same_in_every_figure_and_like_no_other(algorithms):
    document, raw, _, _ = example(algorithms)
    drawn = marks(document)
    assert len(set(drawn.values())) == algorithms
    assert colours(document) == {name: mark.colour for name, mark in drawn.items()}
    for colour in colours(document).values():
        shade = luminance(colour)
        assert (1.05 / (shade + 0.05)) >= 3
    chart = blob_plot(document, task="first") if algorithms <= MOST_CIRCLES else podium_plot(document, raw[2], seed=2)
    first = next(trace for trace in chart["data"] if trace.get("name") == "algorithm 00")
    dots = {trace["name"]: trace for trace in podium_plot(document, raw[2])["data"] if trace.get("mode") == "markers"}
    assert first["marker"]["color"] == drawn["algorithm 00"].colour
    for name, mark in drawn.items():
        assert (dots[name]["marker"]["color"], dots[name]["marker"]["symbol"]) == (mark.colour, mark.symbol)


@pytest.mark.parametrize("algorithms", [3, 40])
def test_lines_of_many_algorithms_are_broken_each_in_its_way(algorithms):
    document, *_ = example(algorithms)
    names = [own["name"] for own in document["rankings"][0]["algorithms"]]
    ranks = list(range(1, algorithms + 1))
    comparison = {"labels": ["a", "b"], "reference": "a", "algorithms": names, "ranks": [ranks, ranks]}
    lines = [(trace["line"]["color"], trace["line"]["dash"]) for trace in line_plot(document, comparison)["data"]]
    assert len(set(lines)) == algorithms


def test_many_algorithms_are_a_map_of_cells_with_the_shares_of_the_resamples():
    document, *_ = example(40)
    entry = next(entry for entry in document["rankings"] if entry["task"] == "first")
    heat = next(trace for trace in blob_plot(document, task="first")["data"] if trace["type"] == "heatmap")
    shares = np.array(heat["z"], dtype=float)
    assert np.nansum(shares, axis=0) == pytest.approx(1)
    first = entry["algorithms"][0]
    assert np.nan_to_num(shares[:, 0]) * sum(first["rank_frequencies"]) == pytest.approx(first["rank_frequencies"])


@pytest.mark.parametrize("algorithms", [3, 40])
def test_rank_1_stands_on_top_wherever_ranks_stand_upright(algorithms):
    for name, figure in figures(algorithms).items():
        axis = figure["layout"].get("yaxis", {})
        title = axis.get("title") or ""
        words = title if isinstance(title, str) else title.get("text", "")
        if words.startswith("Rank") and "range" in axis:
            assert axis["range"][0] > axis["range"][1], name
        if "Worse algorithm" in words:
            assert figure["layout"]["xaxis"]["ticktext"][0].startswith(axis["ticktext"][0]), name
            assert axis["range"][0] > axis["range"][1], name


def test_the_area_of_a_blob_is_the_share_of_resamples():
    document, *_ = example(3)
    entry = next(entry for entry in document["rankings"] if entry["task"] == "second")
    figure = blob_plot(document, task="second")
    for algorithm in entry["algorithms"]:
        trace = next(t for t in figure["data"] if t.get("name") == algorithm["name"])
        assert trace["marker"]["sizemode"] == "area"
        shares = dict(zip(trace["y"], trace["marker"]["size"], strict=True))
        expected = {r + 1: c / 100 for r, c in enumerate(algorithm["rank_frequencies"]) if c}
        assert shares == pytest.approx(expected)
    assert [plain(text).split("\n")[0] for text in figure["layout"]["xaxis"]["ticktext"]] == [
        a["name"] for a in entry["algorithms"]
    ]


def test_a_clear_ranking_fills_the_triangle_below_the_diagonal_of_the_map():
    values = [("abc"[index], f"c{case}", 0.9 - 0.2 * index + case / 1000) for case in range(40) for index in range(3)]
    results = pd.DataFrame(values, columns=["algorithm", "case", "value"])
    document = rank(TABLE, results, bootstrap=10)
    grid = significance_map(document)["data"][0]["z"]
    # Row 0 is the best algorithm as loser, on top.
    assert grid == [[None, 0, 0], [1, None, 0], [1, 1, None]]


def test_the_heatmap_counts_every_case_once_for_each_algorithm():
    document, raw, _, _ = example(3)
    counts = np.array(ranking_heatmap(document, raw[0])["data"][0]["z"], dtype=float)
    counts = np.nan_to_num(counts)  # ranks that never occur are left empty
    assert (counts.sum(axis=0) == 25).all()


def test_ties_of_the_podium_are_broken_the_same_way_every_time():
    results = pd.DataFrame(
        [(name, f"c{case}", 0.5) for case in range(12) for name in "abc"], columns=["algorithm", "case", "value"]
    )
    document = rank(TABLE, results, bootstrap=10)
    raw = raw_values(TABLE, results)[0]
    first, again, other = (podium_plot(document, raw, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    counts = np.array([trace["y"] for trace in first["data"] if trace["type"] == "bar"])
    assert (counts.sum(axis=0) == 12).all()
    assert (counts.sum(axis=1) == 12).all()


def test_the_line_plot_puts_rank_1_on_top_and_marks_the_registered_scheme():
    document, _, schemes, _ = example(3)
    figure = line_plot(document, schemes[0])
    assert figure["layout"]["yaxis"]["range"][0] > figure["layout"]["yaxis"]["range"][1]
    assert bold("mean, then rank") in figure["layout"]["xaxis"]["ticktext"]


def test_the_violins_stand_in_the_order_of_stability_and_name_what_they_leave_out():
    flat = pd.DataFrame(
        [("flat", name, f"c{case}", 0.5) for case in range(12) for name in "abc"]
        + [("clear", name, f"c{case}", 0.1 * index) for case in range(12) for index, name in enumerate("abc")],
        columns=["task", "algorithm", "case", "value"],
    )
    document = rank(TABLE, flat, bootstrap=20)
    figure = violin_plot(document)
    assert figure["layout"]["xaxis"]["ticktext"] == ["clear, value"]
    assert "flat, value" in figure["layout"]["annotations"][0]["text"]
    table = {row["ranking"]: row for row in tau_table(document)}
    assert table["flat, value"]["undefined"] == "20"
    assert table["clear, value"]["median"] == "1"


def test_the_dendrogram_needs_three_tasks():
    document = rank(TABLE, results_of(3, tasks=("one", "two")), bootstrap=0)
    with pytest.raises(ValueError, match="more than two tasks"):
        dendrogram(across_tasks(document))


def test_a_ranking_that_was_not_resampled_has_no_blobs():
    document = rank(TABLE, results_of(3, tasks=("one",)), bootstrap=0)
    with pytest.raises(ValueError, match="not resampled"):
        blob_plot(document, task="one")
    with pytest.raises(LookupError, match="no ranking for"):
        blob_plot(document, task="none")


def test_the_small_drawing_of_an_interval_has_no_style_of_its_own():
    drawing = interval_svg({"rank": 2, "rank_interval": [1, 4]}, 5)
    assert "style=" not in drawing
    assert 'aria-label="rank 2, resampling range 1–4 of 5"' in drawing
    xs = [float(number) for number in re.findall(r'(?:x1|x2|cx)="([\d.]+)"', drawing)]
    assert min(xs) >= 0
    assert max(xs) <= 160


def test_the_summary_gives_a_spread_beside_every_aggregate():
    raw = {"algorithms": ["a"], "values": [[1.0], [2.0], [3.0], [None]]}
    assert summary_table(raw) == [{"name": "a", "median": "2", "iqr": "1.5–2.5"}]


def document_of(values, **settings):
    names = ["unet-b", "unet-a", "unet-c", "unet-d", "unet-e"][: values.shape[1]]
    rows = [(name, f"c{r:03d}", v) for r, line in enumerate(values) for name, v in zip(names, line, strict=True)]
    return rank(TABLE, pd.DataFrame(rows, columns=["algorithm", "case", "value"]), **settings)


def test_two_that_are_not_shown_to_differ_are_not_said_to_be_tied():
    generator = np.random.default_rng(2)
    base = generator.random(30)
    noise = generator.normal(0, 0.15, 30)
    values = np.column_stack([base + noise + 0.004, base, base - 1.0]).round(4)
    document = document_of(values, bootstrap=500)
    entry = document["rankings"][0]
    leader = entry["winners"][0]
    other = ({"unet-a", "unet-b"} - {leader}).pop()
    lead = entry["lead"]
    low, high = lead["interval"]
    outwards = math.floor(100 * low) / 100, math.ceil(100 * high) / 100
    assert 0.1 <= high - low < 1
    assert headline(document) == (
        f"{leader} leads, but {other} is not significantly worse. Its lead over {other} is "
        f"{lead['estimate']:.2f}; over the best of the others it is {outwards[0]:.2f} to {outwards[1]:.2f}.".replace(
            "-0.", "−0."
        )
    )


def test_an_exact_tie_is_one_and_not_a_close_race():
    generator = np.random.default_rng(2)
    base = generator.random(30).round(3)
    document = document_of(np.column_stack([base, base, base - 1]), bootstrap=200)
    assert headline(document) == "unet-a and unet-b share first place; they gave the same results."
    assert "unet-c" not in headline(document)


def test_a_clear_winner_is_said_to_be_one():
    base = np.linspace(0, 1, 30)
    document = document_of(np.column_stack([base + 1, base]).round(3), bootstrap=200)
    assert headline(document) == (
        "unet-b is significantly better than unet-a (by 1.000, 95 % interval 0.933 to 1.000), provided it fails in fewer than 66.6 % of "
        "cases (0 of 30 observed; up to 9.6 % could have gone unseen)."
    )
    said = sentences(document)
    assert "The other algorithm did not come first in any resample." in said
    assert "Leaving out any single case does not change who is first." in said


def test_who_is_first_beside_a_winner_that_always_is_shares_the_place():
    base = np.linspace(0, 1, 8)
    better_in_one_case = base + np.array([1] + [0] * 7)
    document = document_of(np.column_stack([better_in_one_case, base]).round(3), bootstrap=200)
    assert document["rankings"][0]["winner_stays"] == 1.0
    said = sentences(document)
    share = document["rankings"][0]["algorithms"][1]["share_first"]
    assert 0 < share < 1
    assert f"The other algorithm shared first place with it in {share:.0%}".replace("%", " % of the resamples.") in said


@pytest.mark.parametrize("teams", [2, 3, 4, 5])
def test_agreement_of_orders_is_told_of_four_algorithms_and_more(teams):
    level = np.linspace(0.9, 0.4, teams)
    values = level + np.random.default_rng(5).normal(0, 0.01, (20, teams))
    said = " ".join(sentences(document_of(values.round(4), bootstrap=50)))
    assert ("The median agreement (Kendall’s τ) of the resamples with this order is 1." in said) == (teams >= 4)
    assert "stable" not in said


def test_with_too_few_cases_it_is_said_that_no_test_can_decide():
    generator = np.random.default_rng(2)
    document = document_of(generator.random((6, 5)).round(3), bootstrap=50)
    said = " ".join(sentences(document))
    assert "With 5 algorithms a comparison needs at least 9 differing cases" in said
    assert (
        "6 cases are too few to say whether that is more than chance; 7 are the least" in said
        or "No clear leader" in said
    )


def test_algorithms_that_are_all_tied_are_said_to_be_and_nothing_is_read_into_their_resamples():
    """The worst case of the simulation, whose resamples show every algorithm at every rank."""
    results = pd.read_csv(FOLDER / "ex1_simulated.csv").query("task == 'worst'")
    document = rank(TABLE, results, bootstrap=100)
    said = " ".join(sentences_of(document["rankings"][0], document))
    assert "All algorithms are tied on the full data" in said
    assert "all algorithms are tied, which says nothing about their order" in said


def test_without_resampling_nothing_is_claimed():
    document = document_of(np.random.default_rng(1).random((10, 2)), bootstrap=0)
    assert headline(document).endswith("how certain that is cannot be said, because the ranking was not resampled.")
    alone = document_of(np.random.default_rng(1).random((10, 1)), bootstrap=10)
    assert headline(alone) == "unet-b is the only algorithm."
    assert headline(alone, closed=False) == "unet-b is the only algorithm so far."


def test_missing_predictions_are_counted_by_name():
    rows = [("a", "1", 0.9), ("a", "2", 0.8), ("b", "1", 0.5)]
    document = rank(TABLE, pd.DataFrame(rows, columns=["algorithm", "case", "value"]), bootstrap=20)
    assert document["rankings"][0]["inserted"] == [{"case": "2", "algorithm": "b"}]
    assert "Missing predictions: b, 1 case." in sentences(document)


HOSTILE = (
    '<a href="https://evil.example">best</a>',
    "<b>A</b> & <br> &lt;i&gt; %{x} $\\alpha$",
    "<img src=x onerror=alert(1)>",
)


def texts(value, key=""):
    """Yield every text of a figure with its key."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from texts(part, name)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from texts(part, key)


def hostile_figures():
    """All figures, with names of people that are markup wherever people choose one."""
    results = results_of(3)
    for column in ("algorithm", "task", "case"):
        results[column] = [f"{HOSTILE[hash_of(value)]} {value}" for value in results[column]]
    document = rank(TABLE, results, bootstrap=20)
    raw, schemes, across = raw_values(TABLE, results), across_schemes(TABLE, results), across_tasks(document)
    task, algorithm = raw[0]["task"], raw[0]["algorithms"][0]
    characteristic = HOSTILE[1]
    parts = {f"{HOSTILE[0]} ({group})": document for group in "ab"}
    found = {
        "algorithms": raw[0]["algorithms"],
        "characteristics": [characteristic],
        "correlation": [[0.5]] * len(raw[0]["algorithms"]),
    }
    return {
        "blob": blob_plot(document, task=task),
        "map": significance_map(document, task=task),
        "violin": violin_plot(document),
        "box": dot_and_box_plot(document, raw[0]),
        "podium": podium_plot(document, raw[0]),
        "heatmap": ranking_heatmap(document, raw[0]),
        "parallel": parallel_cases(document, raw[0]),
        "lines": line_plot(document, schemes[0]),
        "strip": interval_strip(document, task=task),
        "across": blob_across_tasks(document, across),
        "by algorithm": blob_by_algorithm(document, algorithm),
        "stacked": stacked_frequencies(document, algorithm),
        "dendrogram": dendrogram(across),
        "cases": case_map(document, raw[0]),
        "groups": groups.small_multiples(document, parts, characteristic=characteristic, task=task),
        "strengths": contrasts.relative_strengths(found),
    }


def hash_of(value):
    return sum(map(ord, value)) % len(HOSTILE)


def test_no_text_of_people_reaches_plotly_as_markup():
    templates = {"hovertemplate", "texttemplate"}
    for name, figure in hostile_figures().items():
        raw = "".join(text for _, text in texts(figure))
        assert any(part in raw for part in HOSTILE), name
        for key, text in texts(for_plotly(figure)["data"]):
            shown = re.sub(r"<extra></extra>|<br>", "", text) if key in templates else re.sub(r"</?b>|<br>", "", text)
            assert "<" not in shown, (name, key, text)
            assert not any(part in text for part in HOSTILE), (name, key, text)
        for _, text in texts(for_plotly(figure)["layout"]):
            assert "<" not in re.sub(r"</?b>|<br>", "", text), (name, text)
            assert "<a " not in text, name


def test_marks_of_our_own_become_tags_once_and_what_is_no_figure_stays():
    figure = {"data": [{"text": [bold("<i>")], "y": [1.0]}], "layout": {}, "remarks": ["a < b"]}
    assert for_plotly(figure) == {
        "data": [{"text": ["<b>&lt;i&gt;</b>"], "y": [1.0]}],
        "layout": {},
        "remarks": ["a < b"],
    }
    assert plain(bold("<i>")) == "<i>"


def test_a_name_stays_whole_on_paper():
    assert b"&lt;b&gt;A&lt;/b&gt;" in printed(hostile_figures()["blob"]).svg
