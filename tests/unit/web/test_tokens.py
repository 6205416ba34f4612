"""Colours of tokens.css: readable and distinguishable, in both themes."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

TOKENS = (Path(__file__).parents[3] / "static/css/tokens.css").read_text("utf-8")
PAIRS = {
    name: {"light": light, "dark": dark}
    for name, light, dark in re.findall(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", TOKENS)
}
THEMES = ("light", "dark")
SERIES = [f"series-{n}" for n in range(1, 9)]

# Machado, Oliveira, Fernandes (2009), severity 1, on linear RGB.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(colour: str) -> np.ndarray:
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG contrast ratio."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted((float(linear(one) @ weights), float(linear(other) @ weights)))
    return (high + 0.05) / (low + 0.05)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """Ottosson (2020)."""
    to_lms = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    to_lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return to_lab @ np.cbrt(to_lms @ np.clip(rgb, 0, 1))


def test_black_on_white_has_the_largest_contrast_there_is():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["paper", "surface", "sunken", "raised", "accent-wash"])
@pytest.mark.parametrize("text", ["ink", "ink-soft", "accent", "accent-strong"])
def test_text_stands_out_from_every_ground(theme, ground, text):
    assert contrast(PAIRS[text][theme], PAIRS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("state", ["ok", "warn", "bad", "info"])
def test_states_can_be_read_on_their_wash_and_on_the_page(theme, state):
    for ground in (f"{state}-wash", "paper", "surface"):
        assert contrast(PAIRS[state][theme], PAIRS[ground][theme]) >= 4.5
    for text in ("ink", "ink-soft"):
        assert contrast(PAIRS[text][theme], PAIRS[f"{state}-wash"][theme]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_text_on_a_primary_button_can_be_read(theme):
    for ground in ("accent", "accent-strong"):
        assert contrast(PAIRS["on-accent"][theme], PAIRS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("mark", ["line-strong", "focus", "amber", "accent", *SERIES])
def test_borders_marks_and_series_stand_out_from_paper_and_surface(theme, mark):
    for ground in ("paper", "surface"):
        assert contrast(PAIRS[mark][theme], PAIRS[ground][theme]) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_series_are_told_apart_whatever_colours_one_sees(theme, deficiency):
    seen = {name: oklab(DEFICIENCIES[deficiency] @ linear(PAIRS[name][theme])) for name in SERIES}
    distances = {
        (one, other): float(np.linalg.norm(seen[one] - seen[other])) for one, other in itertools.combinations(SERIES, 2)
    }
    closest = min(distances, key=distances.__getitem__)
    assert distances[closest] >= 0.08, closest


@pytest.mark.parametrize("theme", THEMES)
def test_the_sequential_scale_only_ever_moves_one_way_in_lightness(theme):
    lightness = [oklab(linear(PAIRS[f"scale-{step}"][theme]))[0] for step in range(6)]
    steps = np.diff(lightness) * (-1 if theme == "light" else 1)
    assert (steps > 0.03).all()


def test_the_documentation_lists_the_series_as_they_are():
    documented = (Path(__file__).parents[3] / "docs/design-system.md").read_text("utf-8")
    for name in SERIES:
        light, dark = PAIRS[name]["light"], PAIRS[name]["dark"]
        assert re.search(rf"`--{name}` \w+ \| `{light}` \| `{dark}`", documented), name


def test_figures_of_the_science_side_carry_the_series_of_the_pages():
    from evaluation.figures.palette import BETTER, NEUTRAL, NOT_BETTER, QUALITATIVE, QUIET

    assert list(QUALITATIVE) == [PAIRS[name]["light"] for name in SERIES]
    exchanged = {pair["light"] for pair in PAIRS.values()}
    assert {BETTER, NOT_BETTER, NEUTRAL, QUIET} <= exchanged


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_no_two_of_up_to_fifty_teams_look_alike(theme, deficiency):
    from evaluation.figures.palette import sequence

    shown = {pair["light"]: pair[theme] for pair in (PAIRS[name] for name in SERIES)}
    seen = {light: oklab(DEFICIENCIES[deficiency] @ linear(own)) for light, own in shown.items()}
    for number in range(1, 51):
        marks = sequence(number)
        assert len(marks) == number
        for one, other in itertools.combinations(marks, 2):
            apart = float(np.linalg.norm(seen[one.colour] - seen[other.colour]))
            # Another colour for everybody, or else another line and another point.
            assert apart >= 0.08 or (one.dash != other.dash and one.symbol != other.symbol), (number, one, other)
