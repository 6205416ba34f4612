"""Content of the style guide: components with example values, which the page marks as invented."""

import csv
import io
import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest

NAMES = ("Aspen", "Birch", "Cedar", "Elm", "Fir", "Hazel")
FREQUENCIES = (
    (612, 371, 17, 0, 0, 0),
    (380, 588, 32, 0, 0, 0),
    (8, 41, 871, 74, 6, 0),
    (0, 0, 66, 540, 301, 93),
    (0, 0, 14, 322, 498, 166),
    (0, 0, 0, 64, 195, 741),
)
CASES = 45
INTERVALS = ((1, 2), (1, 3), (2, 4), (3, 6), (4, 6), (4, 6))


class ExampleForm(forms.Form):
    """Every kind of field, with help where help is needed."""

    team = forms.CharField(label="Team name", help_text="Shown on the leaderboard.", max_length=60)
    email = forms.EmailField(label="E-mail address")
    password = forms.CharField(label="Password", widget=forms.PasswordInput, help_text="At least ten characters.")
    phase = forms.ChoiceField(label="Phase", choices=[("", "Choose a phase"), ("1", "Preliminary"), ("2", "Final")])
    kind = forms.ChoiceField(
        label="What do you submit?",
        choices=[("files", "Predictions as files"), ("container", "A container image")],
        widget=forms.RadioSelect,
        help_text="Both are scored the same way.",
    )
    metrics = forms.MultipleChoiceField(
        label="Metrics to show",
        choices=[("dsc", "DSC"), ("nsd", "NSD"), ("hd95", "HD95"), ("assd", "ASSD")],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    closes = forms.DateField(label="Closes on", widget=forms.DateInput(attrs={"type": "date"}), required=False)
    cases = forms.IntegerField(label="Number of cases", min_value=1, required=False)
    comment = forms.CharField(label="Comment", widget=forms.Textarea(attrs={"rows": 4}), required=False)
    agree = forms.BooleanField(label="I have read the rules and take part under them.")


def _rows() -> list[dict[str, Any]]:
    generator = random.Random(7)  # noqa: S311 (example values)
    rows = []
    for index, name in enumerate(NAMES):
        low, high = INTERVALS[index]
        rows.append(
            {
                "rank": index + 1,
                "name": name,
                "low": low,
                "high": high,
                "median": sum((k + 1) * count for k, count in enumerate(FREQUENCIES[index])) / 1000,
                "dsc": 0.91 - 0.013 * index + generator.uniform(-0.003, 0.003),
                "hd95": 1.4 + 0.35 * index + generator.uniform(-0.1, 0.1),
                "share": FREQUENCIES[index][0] / 1000,
                "frequencies": FREQUENCIES[index],
                "missing": (0, 0, 0, 3, 0, 1)[index],
                "group": index < 2,
                "own": index == 3,
            }
        )
    return rows


def context(request: HttpRequest) -> dict[str, Any]:
    """Everything that the template of the style guide shows."""
    sent_back = ExampleForm({"team": "", "email": "not an address", "kind": "files", "password": ""}, prefix="bad")
    return {
        "form": ExampleForm(initial={"kind": "files", "metrics": ["dsc", "nsd"]}),
        "sent_back": sent_back,
        "rows": _rows(),
        "count": len(NAMES),
        "page": Paginator(range(230), 20).get_page(request.GET.get("page", 4)),
        "series": range(1, 9),
        "scale": range(6),
        "moment": datetime(2026, 3, 1, 23, 59, tzinfo=UTC),
        "steps": [
            {"title": "Registration", "state": "done", "dates": "12 January – 15 February 2026"},
            {
                "title": "Preliminary phase",
                "state": "current",
                "dates": "16 February – 1 March 2026",
                "text": "15 cases, five submissions a day, own scores visible",
                "badge": "Open",
                "badge_kind": "ok",
            },
            {
                "title": "Final phase",
                "state": "next",
                "dates": "2 – 15 March 2026",
                "text": "45 cases, one submission a team, ranking sealed until the phase closes",
            },
            {"title": "Results", "state": "next", "dates": "1 April 2026"},
        ],
        "link_tabs": [
            {"label": "Overview", "url": "#tabs", "current": True},
            {"label": "Leaderboard", "url": "#tabs", "current": False},
            {"label": "Submissions", "url": "#tabs", "current": False, "count": 12},
        ],
    }


def _samples(index: int) -> list[float]:
    generator = random.Random(index)  # noqa: S311 (example values)
    return [round(min(generator.betavariate(30 - 2.5 * index, 4), 1.0), 4) for _ in range(45)]


def _box() -> dict[str, Any]:
    return {
        "data": [
            {
                "type": "box",
                "name": name,
                "y": _samples(index),
                "boxpoints": "all",
                "jitter": 0.5,
                "pointpos": 0,
                "marker": {"size": 4, "opacity": 0.6},
            }
            for index, name in enumerate(NAMES)
        ],
        "layout": {"yaxis": {"title": {"text": "DSC"}}, "showlegend": False},
    }


def _blob() -> dict[str, Any]:
    x, y, size, shares = [], [], [], []
    for index, name in enumerate(NAMES):
        for rank, count in enumerate(FREQUENCIES[index]):
            if count:
                x.append(name)
                y.append(rank + 1)
                size.append(count)
                shares.append(f"{count / 10:.1f} %")
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "x": x,
                "y": y,
                "text": shares,
                "hovertemplate": "%{x}: rank %{y} in %{text} of resamples<extra></extra>",
                "marker": {"size": size, "sizemode": "area", "sizeref": 1.2, "color": "#0b5b67", "line": {"width": 0}},
            }
        ],
        "layout": {"yaxis": {"title": {"text": "Rank"}, "autorange": "reversed", "dtick": 1}},
    }


def _heat() -> dict[str, Any]:
    return {
        "data": [
            {
                "type": "heatmap",
                "x": list(NAMES),
                "y": [f"Rank {k + 1}" for k in range(6)],
                "z": [list(column) for column in zip(*FREQUENCIES, strict=True)],
                "colorbar": {"title": {"text": "Resamples"}},
            }
        ],
        "layout": {"yaxis": {"autorange": "reversed"}},
    }


def _violin() -> dict[str, Any]:
    return {
        "data": [
            {"type": "violin", "name": name, "y": _samples(index), "box": {"visible": True}, "points": False}
            for index, name in enumerate(NAMES)
        ],
        "layout": {"yaxis": {"title": {"text": "DSC"}}},
    }


def _histogram() -> dict[str, Any]:
    return {
        "data": [
            {"type": "histogram", "x": _samples(0), "name": NAMES[0], "opacity": 0.8},
            {"type": "histogram", "x": _samples(4), "name": NAMES[4], "opacity": 0.8},
        ],
        "layout": {"barmode": "overlay", "xaxis": {"title": {"text": "DSC"}}, "yaxis": {"title": {"text": "Cases"}}},
    }


def _bar() -> dict[str, Any]:
    return {
        "data": [
            {"type": "bar", "name": f"Rank {rank + 1}", "x": list(NAMES), "y": [row[rank] / 10 for row in FREQUENCIES]}
            for rank in range(6)
        ],
        "layout": {"barmode": "stack", "yaxis": {"title": {"text": "Share of resamples in %"}}},
    }


FIGURES: dict[str, Callable[[], dict[str, Any]]] = {
    "box": _box,
    "blob": _blob,
    "heat": _heat,
    "violin": _violin,
    "histogram": _histogram,
    "bar": _bar,
}


def figure_csv(name: str) -> str:
    """The values behind a figure, one row a mark."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["trace", "x", "y", "z"])
    for index, trace in enumerate(FIGURES[name]()["data"]):
        label = trace.get("name", index)
        if "z" in trace:
            for y, row in zip(trace["y"], trace["z"], strict=True):
                writer.writerows([label, x, y, z] for x, z in zip(trace["x"], row, strict=True))
            continue
        length = len(trace.get("x", trace.get("y", [])))
        for at in range(length):
            writer.writerow([label, trace["x"][at] if "x" in trace else "", trace["y"][at] if "y" in trace else "", ""])
    return out.getvalue()
