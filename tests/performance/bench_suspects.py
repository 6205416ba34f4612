"""Suspect references: recall for planted faults, and suspects without faults: ``python -m tests.performance suspects``.

Three data sets: hippocampus (13 real algorithms), nuclei (8 real algorithms), and generated slices with six published algorithms
of scikit-image and SciPy. The kinds of faults and the seeds are those that nothing was developed on
(`reference_faults.HELD_OUT`). Each trial spoils one twentieth of the references with faults of one severity, learns from all
references including the spoiled ones, and looks for them among the top tenth. Recalls are also printed for the faults of development.
`PODIUM_BENCH_TRIALS` (6) is the number of trials per severity and data set.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PIL import Image

from evaluation.readers import read_label_image
from evaluation.readers.intensities import read_intensities
from evaluation.test_set_quality.agreement import dice
from evaluation.test_set_quality.suspects import Case, Study
from tests.performance.generated_organs import predictions, slices
from tests.performance.reference_faults import DEVELOPMENT, HELD_OUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
TRIALS = int(os.environ.get("PODIUM_BENCH_TRIALS", "6"))
SEED = 2027
SEVERITIES = {"DSC below 0.85": (0.0, 0.85, 0.90), "DSC 0.85 to 0.95": (0.85, 0.95, 0.60)}


class Timing(NamedTuple):
    """A row of the table."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float | None


def hippocampus() -> tuple[list[Case], dict[str, tuple[int, ...]]]:
    """The shipped example with its real predictions."""
    folder = ROOT / "examples" / "hippocampus"
    cases = []
    for path in sorted((folder / "references").glob("*.nii.gz")):
        labels = read_label_image(path).labels
        voted = {
            algorithm.name: read_label_image(algorithm / path.name).labels
            for algorithm in sorted((folder / "predictions").iterdir())
            if (algorithm / path.name).is_file()
        }
        image = read_intensities(folder / "images" / path.name).values
        cases.append(Case(path.name.removesuffix(".nii.gz"), labels, voted, image))
    return cases, {"anterior": (1,), "posterior": (2,), "whole": (1, 2)}


def nuclei() -> tuple[list[Case], dict[str, tuple[int, ...]]]:
    """The shipped example with its real predictions, as foreground."""
    folder = ROOT / "examples" / "nuclei"
    cases = []
    for path in sorted((folder / "references").glob("*.png")):
        voted = {
            algorithm.name: (read_label_image(algorithm / path.name).labels > 0).astype(np.uint8)
            for algorithm in sorted((folder / "predictions").iterdir())
            if (algorithm / path.name).is_file()
        }
        with Image.open(folder / "images" / f"{path.stem}.jpg") as picture:
            image = np.asarray(picture.convert("L"), dtype=np.float32).T
        labels = (read_label_image(path).labels > 0).astype(np.uint8)
        cases.append(Case(path.stem, labels, voted, image))
    return cases, {"nuclei": (1,)}


def generated() -> tuple[list[Case], dict[str, tuple[int, ...]]]:
    """Generated slices with an organ."""
    content = enumerate(slices(60, SEED))
    return [Case(f"slice {n:02}", labels, predictions(image), image) for n, (image, labels) in content], {"organ": (1,)}


def spoil(
    labels: NDArray[Any], kind: Any, severity: tuple[float, float, float], rng: np.random.Generator, values: Any
) -> NDArray[Any] | None:
    """Return the labels with a fault that leaves a DSC within bounds; ``None`` if no strength does."""
    for attempt in range(40):
        strength = 0.1 + 0.3 * rng.random() if attempt < 3 else rng.random() ** 1.5
        spoiled: NDArray[Any] = kind(labels, strength, rng)
        remaining = np.nanmean([dice(labels == value, spoiled == value) for value in values])
        if severity[0] <= remaining < severity[1] and spoiled.any():
            return spoiled
    return None


def recalls(
    study: Study, kinds: Mapping[str, Any], severity: tuple[float, float, float], seed: int, trials: int
) -> tuple[int, int, dict[str, list[bool]]]:
    """Return the detected and the planted faults, and the detections by kind."""
    rng = np.random.default_rng(seed)
    count = len(study.cases)
    planted, top = max(1, round(0.05 * count)), count // 10
    values = sorted({int(value) for labels in study.regions.values() for value in labels})
    hits: dict[str, list[bool]] = defaultdict(list)
    order = list(kinds)
    turn = 0
    for trial in range(trials):
        spoiled: dict[str, tuple[str, NDArray[Any]]] = {}
        for index in rng.permutation(count):
            if len(spoiled) == planted:
                break
            case = study.cases[index]
            name = order[turn % len(order)]
            turn += 1
            labels = spoil(case.reference, kinds[name], severity, rng, values)
            if labels is not None:
                spoiled[case.name] = (name, labels)
        report = study.suspects({case: labels for case, (_, labels) in spoiled.items()}, seed=trial)
        first = {item.case for item in report.cases[:top]}
        for case, (name, _) in spoiled.items():
            hits[name].append(case in first)
    found = sum(sum(values) for values in hits.values())
    return found, sum(len(values) for values in hits.values()), hits


def benchmarks() -> Iterator[Timing]:
    """Print recalls, and return the time of one analysis per data set."""
    if "suspects" not in sys.argv:
        # Minutes of learning; only on request.
        return
    for name, load in {"hippocampus": hippocampus, "nuclei": nuclei, "generated slices": generated}.items():
        if os.environ.get("PODIUM_BENCH_SET", name) != name:
            continue
        study = Study(*load())
        started = time.perf_counter()
        clean = study.suspects()
        seconds = time.perf_counter() - started
        share = len(clean.suspects) / len(study.cases)
        print(
            f"{name}: {len(study.cases)} cases, {len(study.panel.names)} algorithms, {study.panel.independent} independent"
        )
        print(f"  without planted faults {len(clean.suspects)} suspects ({100 * share:.1f} %, at most 5 %)", flush=True)
        for title, severity in SEVERITIES.items():
            for kinds, words, seed in ((HELD_OUT, "held-out kinds", SEED), (DEVELOPMENT, "kinds of development", 1)):
                found, planted, hits = recalls(
                    study, kinds, severity, seed, TRIALS if kinds is HELD_OUT else TRIALS // 3
                )
                parts = ", ".join(f"{kind} {sum(values)}/{len(values)}" for kind, values in sorted(hits.items()))
                bar = f" (at least {severity[2]:.2f})" if kinds is HELD_OUT else ""
                print(
                    f"  {title}, {words}: {found} of {planted}, recall {found / max(planted, 1):.2f}{bar}: {parts}",
                    flush=True,
                )
        yield Timing(f"suspects of {name}", seconds, None, "–", None)
