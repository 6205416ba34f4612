"""Attempts to get cases back from everything that leaves a site: over random sites, with what an attacker can know.

The full size, 200 sites and 10,000 seeds: ``python -m tests.performance.attack_sites``.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from evaluation.canonical import canonical_json
from evaluation.federation import summarise
from tests.sizes import size

from . import campaign
from .examples import random_site, schemes

SITES = size(7, 20)
KNOWN_SEEDS = (*range(size(15, 50)), 1234, 2026, 2**31 - 1)


def test_a_fit_to_everything_that_left_finds_no_more_cases_than_a_guess() -> None:
    """Sorted values found to 0.0005 by an attacker, against a guess from two numbers: no case is read off."""
    found = campaign.fitted(SITES)
    assert found.is_held, found


def test_a_full_covariance_fits_other_cases_as_well() -> None:
    """For every site there are other cases, far from its own, with the same sums and covariances to all digits that left."""
    registered = schemes()["mean"]
    for seed in range(SITES):
        generator = np.random.default_rng(seed)
        table = random_site("north", 30, 3, generator)
        table["value"], table["outcome"] = np.round(0.5 + 0.05 * generator.standard_normal(len(table)), 6), "ok"
        summary = summarise(registered, table, site="north")
        assert summary["rankings"][0]["covariance"]["kind"] == "full"
        wide = table.pivot_table(index="case", columns=["region", "algorithm"], values="value")
        n = len(wide)
        # An orthogonal map that keeps the vector of ones keeps sums and products, and nothing else.
        basis, _ = np.linalg.qr(np.column_stack([np.ones(n), generator.standard_normal((n, n - 1))]))
        inner, _ = np.linalg.qr(generator.standard_normal((n - 1, n - 1)))
        whole = np.eye(n)
        whole[1:, 1:] = inner
        other = basis @ whole @ basis.T @ wide.to_numpy()
        assert np.abs(other.sum(axis=0) - wide.to_numpy().sum(axis=0)).max() < 1e-9
        assert np.abs(np.cov(other.T) - np.cov(wide.to_numpy().T)).max() < 1e-12
        assert np.abs(np.sort(other, axis=0) - np.sort(wide.to_numpy(), axis=0)).mean() > 1e-3


@pytest.mark.parametrize("scheme", ["mean", "rank", "fets"])
def test_nothing_that_left_holds_a_value_or_a_name(scheme: str) -> None:
    """Over random sites: no name of a case, and no value with its digits but those that numbers share by chance."""
    registered, shared, number = schemes()[scheme], 0, 0
    for seed in range(SITES):
        generator = np.random.default_rng(seed)
        table = random_site("north", int(generator.integers(10, 40)), 4, generator)
        digits = generator.integers(1, 999, len(table)) * 1e-6 + 1e-6
        table["value"] = np.round(table["value"].fillna(0) * 0.9 + digits, 6)
        table["outcome"] = "ok"
        text = canonical_json(summarise(registered, table, site="north", replicates=200))
        assert "case" not in text.replace("cases", "")
        written = [f"{value:.6f}".strip("0") for value in table["value"]]
        shared += sum(len(value) > 5 and value in text for value in written)
        number += len(written)
    # Standard deviations and covariances have six digits, too: of a million such numbers, as many meet by chance.
    assert shared <= number // 1000, (shared, number)


def test_the_order_of_cases_and_their_names_change_nothing_that_leaves() -> None:
    registered = schemes()["mean"]
    for seed in range(SITES):
        generator = np.random.default_rng(seed)
        table = random_site("north", 25, 3, generator)
        names = sorted(set(table["case"]))
        other = dict(zip(names, generator.permutation([f"x{k}" for k in range(len(names))]), strict=True))
        renamed = table.assign(case=table["case"].map(other)).sample(frac=1, random_state=seed)
        one, two = (summarise(registered, frame, site="north") for frame in (table, renamed))
        assert _numbers(one) == pytest.approx(_numbers(two), rel=1e-9, abs=1e-12)


def test_no_known_seed_explains_the_resamples_of_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those that people use, nor those of the package; the right one would explain most of them."""
    found = campaign.seeded(monkeypatch, 8, KNOWN_SEEDS)
    assert found.is_held, found


def test_short_vectors_of_lattices_give_no_case_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """In resampled scores nothing is found; in resampled means, which are never sent, most cases are."""
    found = campaign.by_lattice(monkeypatch, 6)
    assert found.is_held, found


def _numbers(summary: dict[str, Any]) -> list[float]:
    found: list[float] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key in sorted(value):
                walk(value[key])
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append(float(value))

    walk(json.loads(canonical_json(summary)))
    return found
