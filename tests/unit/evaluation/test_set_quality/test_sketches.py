"""Sketches: what they match, what they reveal about an image, and what answers reveal about a test image."""

import math
import random

import numpy as np
import pytest

from evaluation.test_set_quality import sketches as module
from evaluation.test_set_quality.sketches import (
    EPSILON,
    FEWEST_AGREEING,
    STEP,
    Sketch,
    count_matches,
    dump_sketches,
    load_sketches,
    matches,
    noise_bound,
    noisy_count,
    sketch,
)
from tests.performance.attack_sketches import attack, parts_of_microscopy


def image(seed: int, edge: int = 64) -> np.ndarray:
    """Return smooth noise."""
    from scipy import ndimage

    return ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=(edge, edge)), 1.5)


def random_sketch(seed: int, axes: int = 2, count: int = 40) -> Sketch:
    """Return a sketch that matches no other one."""
    values = np.random.default_rng(seed).integers(-40, 40, (count, module._LENGTH)).astype(np.int8)
    return Sketch(axes, np.unique(values, axis=0))


def test_least_squares_reconstructs_nothing_better_than_the_mean_image() -> None:
    sketches, places = attack(parts_of_microscopy(40, 160, np.random.default_rng(1)))
    assert sketches > 0.999
    assert places < 0.95, "the attack is too weak to show anything"


def test_a_sketch_does_not_show_direction_contrast_or_order() -> None:
    plain = sketch(image(1))
    for other in (image(1)[::-1], image(1).T, -image(1)):
        turned = sketch(other)
        assert len(plain.features) == len(turned.features)
        # Rounding moves single values by one step.
        nearest = np.abs(plain.features[:, None].astype(int) - turned.features[None]).max(axis=2).min(axis=1)
        assert np.median(nearest) <= 3
    assert plain.features.tolist() == sorted(plain.features.tolist())


def test_transformed_copies_match_and_other_images_do_not() -> None:
    own = [sketch(image(seed)) for seed in range(24)]
    test = [sketch(np.exp(image(seed))[::-1, 3:]) for seed in (6, 50, 2, 51)]
    assert matches(own, test) == [(6, 0), (2, 2)]


def test_images_with_another_number_of_axes_do_not_match() -> None:
    own = [random_sketch(seed) for seed in range(3)]
    assert matches(own, own) == [(0, 0), (1, 1), (2, 2)]
    assert matches(own, [Sketch(3, item.features) for item in own]) == []


def test_blocks_of_images_do_not_change_the_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [random_sketch(seed) for seed in range(7)]
    test = [random_sketch(seed) for seed in (4, 100, 6)]
    expected = matches(own, test)
    monkeypatch.setattr(module, "_BLOCK", 2)
    assert matches(own, test) == expected == [(4, 0), (6, 2)]


def test_a_match_does_not_depend_on_other_test_images() -> None:
    own = [sketch(image(seed)) for seed in range(5)]
    test = [sketch(np.exp(image(seed % 5))[:, 2:]) for seed in range(6)]
    whole = matches(own, test)
    for removed in range(len(test)):
        fewer = [item for number, item in enumerate(test) if number != removed]
        names = [number for number in range(len(test)) if number != removed]
        assert [(one, names[other]) for one, other in matches(own, fewer)] == [
            pair for pair in whole if pair[1] != removed
        ]


def test_one_test_image_changes_the_count_by_at_most_one() -> None:
    draw = random.Random(3)
    for _ in range(60):
        pairs = [(draw.randrange(8), draw.randrange(6)) for _ in range(draw.randrange(1, 20))]
        count = count_matches(pairs)
        for removed in range(6):
            assert 0 <= count - count_matches([pair for pair in pairs if pair[1] != removed]) <= 1
    versions = [(number, 0) for number in range(50)]
    assert count_matches(versions) == 1, "fifty versions of one image would show whether it is a test image"


def test_answers_are_differentially_private_for_one_test_image() -> None:
    """The distribution of answers, computed exactly, changes by at most the stated factor."""
    share = math.exp(-EPSILON)

    def distribution(count: int) -> dict[int, float]:
        found: dict[int, float] = {}
        for noise in range(-200, 201):
            weight = (1 - share) / (1 + share) * share ** abs(noise)
            rounded = min(max(STEP * math.floor((count + noise) / STEP + 0.5), 0), 100)
            found[rounded] = found.get(rounded, 0) + weight
        return found

    for count in range(12):
        one, other = distribution(count), distribution(count + 1)
        assert max(abs(math.log(one[answer] / other[answer])) for answer in one) <= EPSILON + 1e-9
        draw = random.Random(count)
        drawn = np.array([noisy_count(count, 100, draw.random) for _ in range(1500)])
        assert all(abs((drawn == answer).mean() - weight) < 0.06 for answer, weight in one.items())


def test_answers_are_multiples_within_the_number_of_images() -> None:
    draw = random.Random(1)
    answers = {noisy_count(count, 52, draw.random) for count in range(53) for _ in range(50)}
    assert answers == set(range(0, 51, 5))


def test_the_stated_bound_covers_the_noise() -> None:
    share = math.exp(-EPSILON)
    outside = 2 * share ** (noise_bound() + 1) / (1 + share)
    assert outside <= 0.05 < 2 * share ** noise_bound() / (1 + share)


def test_sketches_survive_their_file() -> None:
    sketches = [random_sketch(seed) for seed in range(4)]
    loaded = load_sketches(dump_sketches([*sketches, sketches[1]]))
    assert [item.features.tolist() for item in loaded] == [item.features.tolist() for item in sketches]


GOOD = dump_sketches([random_sketch(1), random_sketch(2)])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a file of sketches"),
        (b"PK\x03\x04", "not a file of sketches"),
        (GOOD[:-1], "Sketch 2 has another format"),
        (GOOD + b"\x02", "Sketch 3 has another format"),
        (GOOD[:18] + b"\x04" + GOOD[19:], "Sketch 1 has another format"),
        (GOOD[:18] + b"\x02" + bytes([FEWEST_AGREEING - 1]) + GOOD[20:], "Sketch 1 has another format"),
        (GOOD[:18] + b"\x02\xff" + GOOD[20:], "Sketch 1 has another format"),
        (GOOD + dump_sketches([random_sketch(3, axes=3)])[18:], "two and with three axes"),
        (GOOD + bytes(module.MOST_BYTES), "not a file of sketches"),
    ],
)
def test_other_content_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load_sketches(content)


def test_an_image_without_structure_has_no_sketch() -> None:
    flat = sketch(np.zeros((40, 40)))
    assert len(flat.features) == 0
    with pytest.raises(ValueError, match="local features"):
        dump_sketches([flat])
