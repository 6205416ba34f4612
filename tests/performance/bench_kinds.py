"""Kinds other than segmentation: resampling values of the whole data set, images, fields and tables.

The times are compared with the required ones. Peers that are not installed appear in the table without a time or are
replaced by SciPy: scikit-survival and pingouin (both GPL-3) are never a dependency. To measure against them, install
them separately with `pip install --target FOLDER scikit-survival pingouin` and append the folder to `PYTHONPATH`.
"""

from __future__ import annotations

import csv
import io
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.assessment import parse
from evaluation.importing import Fitting, guess_roles, read_measured, read_sheet
from evaluation.metrics import confidence_values, paired_values, survival_values
from tests.performance.bench_masks import Timing, best

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES, DRAWS = 500, 1000
SHAPE = (128, 128, 96)


def drawn() -> np.ndarray:
    """Return the number of occurrences of each case in each resample."""
    generator = np.random.default_rng(0)
    return generator.multinomial(CASES, np.full(CASES, 1 / CASES), DRAWS).astype(np.float64)


def benchmarks() -> Iterator[Timing]:
    """One row for each line of the reference's section 14."""
    weights = drawn()
    yield confidences(weights)
    yield concordance(weights)
    yield pairs(weights)
    yield similarity()
    yield gaussian_similarity()
    yield kendall()
    yield from long_follow_up()
    yield from fields()
    yield tables()
    yield strangers_table()


def confidences(weights: np.ndarray) -> Timing:
    """AURC and AUGRC together."""
    generator = np.random.default_rng(1)
    risk, sure = generator.random(CASES), generator.random(CASES)

    def ours() -> None:
        for name in ("aurc", "augrc"):
            confidence_values.BY_CONFIDENCE[name](risk, sure, weights)

    # Measured where the reference was written (2 cores, one process): the package is on no index.
    return Timing(f"AURC + AUGRC, {CASES} × {DRAWS:,} draws", best(ours, 3), 0.08, "fd-shifts one by one (noted)", 1.27)


def concordance(weights: np.ndarray) -> Timing:
    """Harrell's C."""
    generator = np.random.default_rng(2)
    known = survival_values.Followed(generator.exponential(10, CASES), generator.random(CASES) < 0.6)
    risk, answered = generator.random(CASES), np.ones(CASES, dtype=bool)
    seconds = best(lambda: survival_values.harrell_c(known, risk, answered, weights), 3)
    peer = None
    try:
        from sksurv.metrics import concordance_index_censored
    except ImportError:
        pass
    else:
        picked = [np.repeat(np.arange(CASES), row.astype(int)) for row in weights[:20]]

        def theirs() -> None:
            for own in picked:
                concordance_index_censored(known.event[own], known.time[own], risk[own])

        peer = best(theirs, 1) * DRAWS / len(picked)
    return Timing(f"Harrell's C, {CASES} × {DRAWS:,} draws", seconds, 0.15, "scikit-survival one by one", peer)


def pairs(weights: np.ndarray) -> Timing:
    """ICC, CCC, Pearson's correlation and RMSE together."""
    generator = np.random.default_rng(3)
    truth = generator.normal(50, 10, CASES)
    answer = truth + generator.normal(0, 4, CASES)

    def ours() -> None:
        for name in ("icc", "ccc", "pearson", "rmse"):
            paired_values.PAIRED[name](truth, answer, weights)

    peer_name, peer = "pingouin, ICC alone, one by one", _intraclass_by_pingouin(truth, answer, weights[:5])
    if peer is None:
        peer_name, peer = "SciPy, Pearson alone, one by one", _correlation_by_scipy(truth, answer, weights[:50])
    return Timing(f"ICC, CCC, Pearson, RMSE, {CASES} × {DRAWS:,} draws", best(ours, 3), 0.05, peer_name, peer)


def _intraclass_by_pingouin(truth: np.ndarray, answer: np.ndarray, weights: np.ndarray) -> float | None:
    try:
        from pingouin import intraclass_corr
    except ImportError:
        return None
    import pandas as pd

    raters, cases = np.repeat(["reference", "prediction"], CASES), np.tile(np.arange(CASES), 2)

    def theirs() -> None:
        for row in weights:
            own = np.repeat(np.arange(CASES), row.astype(int))
            values = np.concatenate([truth[own], answer[own]])
            table = pd.DataFrame({"case": cases, "rater": raters, "value": values})
            intraclass_corr(table, targets="case", raters="rater", ratings="value")

    return best(theirs, 1) * DRAWS / len(weights)


def _correlation_by_scipy(truth: np.ndarray, answer: np.ndarray, weights: np.ndarray) -> float:
    from scipy import stats

    def theirs() -> None:
        for row in weights:
            own = np.repeat(np.arange(CASES), row.astype(int))
            stats.pearsonr(truth[own], answer[own])

    return best(theirs, 2) * DRAWS / len(weights)


def similarity() -> Timing:
    """SSIM with a uniform window."""
    from evaluation.metrics.image_similarity import ssim

    generator = np.random.default_rng(4)
    reference = generator.random(SHAPE)
    other = np.clip(reference + generator.normal(0, 0.05, SHAPE), 0, 1)
    ours = best(lambda: ssim(reference, other, data_range=(0.0, 1.0)), 3)
    peer = None
    try:
        from skimage.metrics import structural_similarity
    except ImportError:
        pass
    else:
        peer = best(lambda: structural_similarity(reference, other, data_range=1.0), 3)
    return Timing(f"SSIM uniform, {_size()}", ours, peer, "scikit-image", peer)


def gaussian_similarity() -> Timing:
    """SSIM with a gaussian window in three dimensions."""
    from skimage.metrics import structural_similarity

    from evaluation.metrics.image_similarity import ssim

    generator = np.random.default_rng(4)
    reference = generator.random(SHAPE)
    other = np.clip(reference + generator.normal(0, 0.05, SHAPE), 0, 1)

    def ours() -> float:
        return float(ssim(reference, other, data_range=(0.0, 1.0), window="gaussian").value or 0.0)

    def theirs() -> float:
        return float(
            structural_similarity(reference, other, data_range=1.0, gaussian_weights=True, use_sample_covariance=False)
        )

    np.testing.assert_allclose(ours(), theirs(), rtol=1e-9)
    peer = best(theirs, 3)
    return Timing(f"SSIM gaussian, {_size()}", best(ours, 3), peer, "scikit-image", peer)


def kendall() -> Timing:
    """Kendall's tau-b of 20,000 cases with ties, which SciPy computes for us."""
    from scipy import stats

    from evaluation.metrics import kendall_tau_b

    generator = np.random.default_rng(8)
    truth = np.round(generator.normal(size=20_000), 2)
    answer = np.round(truth + generator.normal(size=20_000), 2)
    np.testing.assert_allclose(
        kendall_tau_b(truth, answer).value, stats.kendalltau(truth, answer).statistic, rtol=1e-12
    )
    peer = best(lambda: stats.kendalltau(truth, answer), 9)
    return Timing("Kendall's tau-b, 20,000", best(lambda: kendall_tau_b(truth, answer), 9), peer, "SciPy", peer)


def long_follow_up() -> Iterator[Timing]:
    """AUC(t) and concordance of 3,000 people, with equal values."""
    from evaluation.metrics import survival

    generator = np.random.default_rng(9)
    times, event = generator.exponential(10, 3000), generator.random(3000) < 0.6
    risk = generator.normal(0, 8, 3000) - times
    observed = np.column_stack([times, event])
    ours = {
        "Harrell's C": lambda: survival.harrell_c(observed, risk).value,
        "Uno's C": lambda: survival.uno_c(observed, risk, tau=20.0).value,
        "AUC(t)": lambda: survival.time_dependent_auc(observed, risk, time=10.0).value,
    }
    theirs: dict[str, Any] = {}
    try:
        from sksurv import metrics
        from sksurv.util import Surv
    except ImportError:
        pass
    else:
        known = Surv.from_arrays(event, times)
        theirs = {
            "Harrell's C": lambda: metrics.concordance_index_censored(event, times, risk)[0],
            "Uno's C": lambda: metrics.concordance_index_ipcw(known, known, risk, tau=20.0)[0],
            "AUC(t)": lambda: metrics.cumulative_dynamic_auc(known, known, risk, [10.0])[0][0],
        }
    for name, work in ours.items():
        peer = None
        if name in theirs:
            np.testing.assert_allclose(work(), theirs[name](), rtol=1e-9)
            peer = best(theirs[name], 3)
        yield Timing(f"{name}, 3,000 people", best(work, 5), peer and peer / 2, "scikit-survival", peer)


def fields() -> Iterator[Timing]:
    """SDlogJ with folding, and warping of labels."""
    from evaluation.metrics import deformations, registration

    generator = np.random.default_rng(5)
    field = np.stack([np.sin(np.linspace(0, 6, SHAPE[0]))[:, None, None] * np.ones(SHAPE) for _ in range(3)], axis=-1)
    field = np.ascontiguousarray(field + generator.normal(0, 0.05, field.shape))

    def ours() -> None:
        determinants = deformations.jacobian_determinants(field)
        registration.sdlogj(field, determinants=determinants)
        registration.folding_fraction(field, determinants=determinants)

    peer = warped = None
    try:
        import SimpleITK
    except ImportError:
        pass
    else:
        image = SimpleITK.GetImageFromArray(np.ascontiguousarray(field.transpose(2, 1, 0, 3)), isVector=True)
        peer = best(lambda: SimpleITK.DisplacementFieldJacobianDeterminant(image), 3)
    yield Timing(
        f"SDlogJ + folding, {_size()}", best(ours, 3), peer and 1.5 * peer, "SimpleITK, determinant alone", peer
    )
    labels = generator.integers(0, 4, SHAPE).astype(np.uint8)
    seconds = best(lambda: deformations.warp_labels(labels, field), 3)
    if peer is not None:
        moving = SimpleITK.GetImageFromArray(np.ascontiguousarray(labels.transpose(2, 1, 0)))
        transform = SimpleITK.DisplacementFieldTransform(SimpleITK.Cast(image, SimpleITK.sitkVectorFloat64))
        warped = best(lambda: SimpleITK.Resample(moving, moving, transform, SimpleITK.sitkNearestNeighbor), 3)
    yield Timing(f"warping labels, {_size()}", seconds, warped and 1.5 * warped, "SimpleITK, nearest neighbour", warped)


def tables() -> Timing:
    """Values measured elsewhere, from the table to values of every team: 1,000 cases, 20 algorithms, 3 metrics."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "values.csv"
        algorithms = [f"a{number:02d}" for number in range(20)]
        cases = [f"c{number:04d}" for number in range(1000)]
        generator = np.random.default_rng(6)
        rows = [
            [name, case, metric, f"{value:.6f}"]
            for name in algorithms
            for metric in "xyz"
            for case, value in zip(cases, generator.random(1000), strict=True)
        ]
        _write(path, ["algorithm", "case", "metric", "value"], rows)
        metrics = [{"id": name, "direction": "higher", "range": [0, 1], "level": "case"} for name in "xyz"]
        assessment = parse({"schema": 1, "problem": "external", "metrics": metrics})
        fitting = Fitting(assessment, tuple(cases), tuple(algorithms))

        def ours() -> None:
            sheet = read_sheet(path, name=path.name)
            measured = read_measured(sheet, guess_roles(sheet), fitting)
            assert not measured.problems

        seconds = best(ours, 2)
    return Timing("external, 1,000 cases × 20 × 3 metrics", seconds, 1.0, "–", None)


def strangers_table() -> Timing:
    """A stranger's wide table of 20 algorithms × 1,000 cases: ranking, gaming check, report and bundle."""
    generator = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "table.csv"
        values = np.clip(
            0.8 + generator.normal(0, 0.1, (1000, 1)) + 0.003 * np.arange(20) + generator.normal(0, 0.08, (1000, 20)),
            0,
            1,
        )
        rows = [[f"c{number:04d}", *(f"{value:.5f}" for value in row)] for number, row in enumerate(values)]
        _write(path, ["case", *(f"method{number:02d}" for number in range(20))], rows)
        seconds = best(lambda: _analysed(path, Path(place) / "out"), 1)
    return Timing("a stranger's table, 20 × 1,000, to the report", seconds, 20.0, "–", None)


def _analysed(path: Path, target: Path) -> None:
    from evaluation.cli import main

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert main(["analyse", str(path), "--direction", "higher", "--missing", "0", "--output", str(target)]) == 0


def _size() -> str:
    return " × ".join(str(length) for length in SHAPE)


def _write(path: Path, head: list[str], rows: list[list[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
