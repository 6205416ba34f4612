"""Figures for print: every kind that the package draws, with outlines for text, in a journal's size."""

import io
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from PIL import Image

from evaluation import figures, ranking
from evaluation.assessment import parse
from evaluation.figures.cases import case_map
from evaluation.figures.publication import WIDTH_MM, printed
from evaluation.ranking.comparison import across_schemes
from evaluation.ranking.raw import raw_values
from evaluation.ranking.tasks import across_tasks

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def material():
    assessment = parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": name, "labels": [label]} for label, name in enumerate(("a", "b", "c"), start=1)],
            "metrics": [{"id": "dsc"}],
            "ranking": {
                "scheme": "aggregate_then_rank",
                "operator": "mean",
                "combine": {"over": ["region"], "operator": "mean", "rerank": True},
            },
            "uncertainty": {"bootstrap": 20, "seed": 1},
        }
    )
    levels = {"Ada & Co <$1>": 0.9, "Ben": 0.8, "Cid": 0.7}
    rows = [
        (team, f"case-{case}", region, "dsc", level - 0.05 * ((case * 7 + place) % 5), "ok", 300.0)
        for team, level in levels.items()
        for case in range(8)
        for place, region in enumerate("abc")
    ]
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]
    results = pd.DataFrame(rows, columns=columns)
    document = ranking.rank(assessment, results)
    return assessment, results, document


def everything(material):
    assessment, results, document = material
    raw = raw_values(assessment, results)[0]
    across = across_tasks(document)
    yield "blob", figures.blob_plot(document)
    yield "strip", figures.interval_strip(document)
    yield "violin", figures.violin_plot(document)
    yield "significance", figures.significance_map(document, metric="dsc", region="a")
    yield "dots", figures.dot_and_box_plot(document, raw)
    yield "podium", figures.podium_plot(document, raw)
    yield "heat map", figures.ranking_heatmap(document, raw)
    yield "parallel", figures.parallel_cases(document, raw)
    yield "cases", case_map(document, raw)
    yield "schemes", figures.line_plot(document, across_schemes(assessment, results)[0])
    yield "stacked", figures.stacked_frequencies(document, "Ben")
    yield "dendrogram", figures.dendrogram(across, "average")


def test_every_figure_is_printed_without_fonts_or_scripts(material):
    for name, figure in everything(material):
        drawn = printed(figure, description=f"About {name}", dpi=100)
        root = ET.fromstring(drawn.svg)
        assert root.tag == f"{SVG}svg"
        assert not root.findall(f".//{SVG}text"), name
        assert len(root.findall(f".//{SVG}path")) > 10, name
        assert f"About {name}".encode() in drawn.svg
        picture = Image.open(io.BytesIO(drawn.png))
        assert picture.width == pytest.approx(WIDTH_MM / 25.4 * 100, abs=2)
        assert len(picture.convert("RGB").getcolors(1_000_000)) > 5, f"{name} is blank"


def test_same_figure_gives_the_same_bytes(material):
    figure = figures.blob_plot(material[2])
    first, second = printed(figure, dpi=72), printed(figure, dpi=72)
    assert first == second


def test_colours_of_teams_are_those_of_the_pages(material):
    palette = figures.colours(material[2])
    svg = printed(figures.interval_strip(material[2]), dpi=72).svg.decode()
    assert all(colour in svg for colour in palette.values())


def test_unknown_trace_is_an_error_and_no_gap():
    figure = {"data": [{"type": "sunburst"}], "layout": {"xaxis": {}, "yaxis": {}}}
    with pytest.raises(ValueError, match="sunburst"):
        printed(figure)
