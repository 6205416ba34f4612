"""The API reference of the science side, generated from the code."""

import importlib

import pytest

from docs.api import make_api
from evaluation.catalogue import all_metrics


def test_the_page_of_the_metrics_is_up_to_date():
    is_current = make_api.page() == (make_api.HERE / "metrics.md").read_text(encoding="utf-8")
    assert is_current, "docs/api/metrics.md differs from the declarations: run `make api` and look at the difference"


def test_the_names_that_the_package_exports_are_up_to_date():
    is_current = make_api.exports() == make_api.EXPORTS.read_text(encoding="utf-8")
    assert is_current, "evaluation/metrics/__init__.py differs from the declarations: run `make api`"


def test_every_metric_has_a_section_with_its_formula_and_every_option_its_default():
    sections = make_api.page().split("\n### ")[1:]
    assert [section.split("`")[1] for section in sections] == [
        metric.id
        for metric in sorted(all_metrics(), key=lambda metric: list(make_api._FAMILY_TITLES).index(metric.family))
    ]
    for section in sections:
        metric = next(metric for metric in all_metrics() if metric.id == section.split("`")[1])
        assert section.split("\n")[2]
        assert [line.split("`")[1] for line in section.split("\n") if line.startswith("| `")] == [
            option.name for option in metric.assessment_options
        ]


@pytest.mark.parametrize("name", make_api.modules())
def test_every_module_says_what_it_is(name):
    assert importlib.import_module(name).__doc__


def test_pages_have_signatures_with_defaults_and_links(tmp_path):
    make_api.write_pages(tmp_path, ["evaluation.metrics.boundary", "evaluation.metrics.overlap"])
    page = (tmp_path / "evaluation/metrics/boundary.html").read_text(encoding="utf-8")
    assert 'href="#hausdorff_distance"' in page
    assert "95.0" in page
    assert (tmp_path / "index.html").exists()
