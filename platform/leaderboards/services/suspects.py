"""Search for suspect references after a ranking, in a worker; the views of suspects are stored encrypted."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import structlog
from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray

from challenges.models import Phase
from confinement import archive
from confinement.sandbox import answers
from core.work.queries import shared_now
from core.work.services import UNEXPECTED, Lease, LeaseLostError, ask, claim
from datastore.test_sets import vault
from datastore.test_sets.domain import backgrounds
from datastore.test_sets.models import TestCase, TestSet
from datastore.test_sets.queries.test_sets import expectation
from datastore.uploads.storage import child_limits, delete, local_path, working_folder
from evaluation.problems import kind_of
from evaluation.problems.files import file_problem
from evaluation.readers.limits import Limits
from executions.scoring.domain.report import Report as SubmissionReport
from leaderboards.models import SuspectCase, SuspectSearch
from leaderboards.queries.current import current_standing
from leaderboards.queries.suspects import suits, view_name, views_of
from leaderboards.queries.work import SUSPECTS
from submissions.models import Run
from submissions.queries import counted_runs

if TYPE_CHECKING:
    from evaluation.test_set_quality.suspects import Case, Report, Study

log = structlog.get_logger(__name__)

PAUSE: Final = timedelta(minutes=10)
"""Pause before the search while the phase is open, so that several rankings in a row cause one search."""
MOST_ALGORITHMS: Final = 20
MOST_VOXELS: Final = 400_000_000
"""Largest number of voxels of all references and predictions together, which are in memory at the same time."""
SHARE: Final = 0.1
"""Share of the cases that readers are offered, if fewer are suspects."""
MOST_SHOWN: Final = 100
VIEWS: Final = ("plan.json", "picture.png")


class NotSearchedError(Exception):
    """Reason why there is no search for suspect references, for organizers."""


@transaction.atomic
def request(phase: Phase) -> None:
    """Request a search after a ranking, where the kind of problem and the number of cases permit one."""
    from evaluation.test_set_quality.suspects import FEWEST

    rows = TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True, is_decoy=False)
    if not suits(phase) or rows.exclude(reference_file="").count() < FEWEST:
        return
    SuspectSearch.objects.get_or_create(phase=phase)
    row = SuspectSearch.objects.select_for_update(no_key=True).get(phase=phase)
    pause = timedelta(0) if phase.is_closed else PAUSE
    row.requested += 1
    row.requested_at, row.attempts = timezone.now(), 0
    row.due_at = shared_now() + pause if pause else None
    row.save(update_fields=["requested", "requested_at", "attempts", "due_at"])
    ask(SUSPECTS, row, countdown=pause.total_seconds() or None)


def search(*, phase_id: int) -> bool:
    """Search the suspect references of a phase, unless another worker does it; return whether there was something to do."""
    lease = claim(SUSPECTS, phase_id, give_up=_give_up)
    if lease is None:
        return False
    row = SuspectSearch.objects.select_related("phase__task__challenge").get(pk=lease.pk)
    requested = row.requested
    stored: list[str] = []
    try:
        with lease.renewed():
            result = _search(row.phase, lease, stored)
        _finish(lease, requested=requested, **result)
    except NotSearchedError as error:
        _finish(lease, requested=requested, note=str(error), suspects=[])
    except LeaseLostError:
        _delete(stored)
    except Exception:
        log.exception("suspects_failed", phase=phase_id)
        _delete(stored)
        _finish(lease, requested=requested, note=UNEXPECTED, suspects=[])
    return True


def _search(phase: Phase, lease: Lease, stored: list[str]) -> dict[str, Any]:
    from evaluation.test_set_quality.suspects import Study

    standing = current_standing(phase)
    runs = [run for run in counted_runs(phase) if run.submission.predictions_file][:MOST_ALGORITHMS]
    if standing is None or not runs:
        raise NotSearchedError("There is no ranking of predictions that were submitted here.")
    test_set = runs[0].test_set
    assert test_set is not None
    cases = _cases(phase, test_set, runs, lease)
    problem = kind_of(phase.assessment)
    regions: dict[str, tuple[int, ...]] = {
        region.name: tuple(int(label) for label in region.labels) for region in phase.assessment.regions
    }
    if problem.references.labels_number_objects or not regions:
        from evaluation.test_set_quality.folders import label_regions

        regions = label_regions(cases)
    total = len(cases)
    try:
        study = Study(cases, regions, progress=_progress(lease, "preparing"))
        lease.tell(progress={"step": "comparing", "done": 0, "total": total}, every=0)
        report = study.suspects()
    except ValueError as error:
        raise NotSearchedError(f"{error}.") from error
    suspects = _stored(phase, test_set, study, report, lease, stored)
    return {
        "version": standing.version,
        "test_set": test_set,
        "cases": total,
        "algorithms": len(report.panel.names),
        "independent": report.panel.independent,
        "expected_false": report.expected_false,
        "suspects": suspects,
    }


def _progress(lease: Lease, step: str) -> Callable[[int, int], None]:
    return lambda done, total: lease.tell(progress={"step": step, "done": done, "total": total})


def _cases(phase: Phase, test_set: TestSet, runs: Sequence[Run], lease: Lease) -> "list[Case]":
    """Read references and images here, and predictions in confined children."""
    from evaluation.test_set_quality.suspects import Case

    counted = test_set.cases.filter(is_decoy=False).exclude(name__in=phase.assessment.exclusions.cases)
    rows = list(counted.exclude(reference_file="").order_by("position"))
    voxels = sum(int(np.prod(row.geometry["shape"])) for row in rows) * (len(runs) + 2)
    if voxels > MOST_VOXELS:
        raise NotSearchedError(
            f"The cases have {voxels:,} voxels with their predictions. Use the command line for more than {MOST_VOXELS:,}."
        )
    problem = file_problem(phase.assessment.problem)
    has_objects = problem.references.labels_number_objects
    predictions = [dict(_predictions(phase, run, rows)) for run in runs]
    cases = []
    for number, row in enumerate(rows, start=1):
        with vault.opened(row.reference_file) as path:
            content = problem.read_reference(phase.assessment, path)
        labels = problem.pictures.outline_of(content)
        voted = {
            str(run.pk): result[row.name] for run, result in zip(runs, predictions, strict=True) if row.name in result
        }
        image = backgrounds.read(local_path(row.image_file)) if row.image_file else None
        if image is not None and image.shape != labels.shape:
            image = None
        if has_objects:
            labels, voted = _foreground(labels), {name: _foreground(values) for name, values in voted.items()}
        if voted:
            spacing = row.geometry.get("spacing") or ()
            cases.append(Case(row.name, labels, voted, image, tuple(spacing)))
        lease.tell(progress={"step": "reading", "done": number, "total": len(rows)})
    if cases and any(case.image is None for case in cases):
        # The expectation is learned from all cases alike.
        cases = [Case(case.name, case.reference, case.predictions, None, case.spacing) for case in cases]
    return cases


def _foreground(labels: NDArray[Any]) -> NDArray[np.uint8]:
    return (labels > 0).astype(np.uint8)


def _predictions(phase: Phase, run: Run, rows: Sequence[TestCase]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the labels of the cases of a run, read in confined children; cases that cannot be read are absent."""
    problem = file_problem(phase.assessment.problem)
    members = SubmissionReport.of(run.submission.report).members
    path = local_path(run.submission.predictions_file)
    wanted = expectation(run.test_set, phase.assessment)
    by_name = {row.name: row for row in rows if row.name in members}
    names = list(by_name)
    with working_folder() as folder:

        def work(name: str, own_folder: Path) -> object:
            geometry = by_name[name].geometry
            target, most = own_folder / PurePosixPath(members[name]).name, problem.byte_limit(geometry)
            archive.extract(path, members[name], target, limit=most)
            value = problem.read_prediction(target, geometry, wanted.expected, limits=Limits(decoded_bytes=most))
            target.unlink()
            kind, _ = problem.pictures.outline_form(geometry)
            numbers = np.ascontiguousarray(problem.pictures.outline_of(value).astype(kind))
            (folder / str(names.index(name))).write_bytes(numbers.tobytes())
            return "done"

        for answer in answers(names, work, limits=child_limits(), reads=[path], hands_over=folder):
            file = folder / str(names.index(answer.item))
            if answer.failure is None and file.is_file():
                kind, shape = problem.pictures.outline_form(by_name[answer.item].geometry)
                raw = file.read_bytes()
                if len(raw) == int(np.prod(shape)) * np.dtype(kind).itemsize:
                    yield answer.item, np.frombuffer(raw, dtype=kind).reshape(shape)
            file.unlink(missing_ok=True)


def _stored(
    phase: Phase, test_set: TestSet, study: "Study", report: "Report", lease: Lease, stored: list[str]
) -> list[SuspectCase]:
    """Store the views of the most suspect cases, and return their rows without the search."""
    shown_cases = max(len(report.suspects), int(np.ceil(SHARE * len(report.cases))))
    weights = dict(zip(report.panel.names, report.panel.weights, strict=True))
    cases = {case.name: case for case in study.cases}
    rows = {row.name: row for row in test_set.cases.filter(name__in=[case.case for case in report.cases[:shown_cases]])}
    suspects = []
    token = timezone.now().strftime("%Y%m%d%H%M%S%f")
    for position, item in enumerate(report.cases[: min(shown_cases, MOST_SHOWN)], start=1):
        folder = f"suspects/{phase.pk}/{token}/{position}"
        consensus = majority(cases[item.case].predictions, weights)
        _draw(phase, rows[item.case], consensus, item.spot.index, folder, stored)
        suspects.append(
            SuspectCase(
                position=position,
                case=item.case,
                region=item.region,
                score=item.score,
                expected_false=item.expected_false,
                reasons=list(item.reasons),
                place=list(item.spot.index),
                excess=item.spot.excess,
                listed=item.listed,
                folder=folder,
            )
        )
        lease.tell(progress={"step": "drawing", "done": position, "total": shown_cases})
    return suspects


def majority(predictions: Mapping[str, NDArray[Any]], weights: Mapping[str, float]) -> NDArray[Any]:
    """Return the label with the largest weight of votes for each voxel; ties go to the smaller label.

    Examples
    --------
    >>> votes = {"a": np.array([1, 0]), "b": np.array([1, 2]), "c": np.array([0, 2])}
    >>> majority(votes, {"a": 0.5, "b": 0.3, "c": 0.2}).tolist()
    [1, 0]
    """
    labels = sorted({int(label) for values in predictions.values() for label in np.unique(values)})
    first = next(iter(predictions.values()))
    best, chosen = np.zeros(first.shape), np.zeros(first.shape, dtype=first.dtype)
    for label in labels:
        votes = np.zeros(first.shape)
        for name, values in predictions.items():
            votes += weights.get(name, 0.0) * (values == label)
        wins = votes > best + 1e-12
        best[wins], chosen[wins] = votes[wins], label
    return chosen


def _draw(
    phase: Phase, row: TestCase, consensus: NDArray[Any], voxel: Sequence[int], folder: str, stored: list[str]
) -> None:
    """Draw all slices with the reference and the consensus, beginning at the largest disagreement."""
    problem = file_problem(phase.assessment.problem)
    with vault.opened(row.reference_file) as path:
        reference = problem.read_reference(phase.assessment, path)
    image = backgrounds.read(local_path(row.image_file)) if row.image_file else None
    sheets = problem.pictures.sheets(row.geometry, image, consensus, reference)
    if sheets is None:
        return
    plan = sheets.plan(with_reference=True)
    for strip in plan["strips"]:
        if len(voxel) > 2:
            wanted = voxel["xyz".index(strip["axis"])]
            strip["start"] = min(range(len(strip["slices"])), key=lambda at: abs(strip["slices"][at] - wanted))
    for layer in plan["layers"]:
        if layer["name"] == "prediction":
            layer["label"] = "consensus of the algorithms"

    def keep(view: str, content: bytes) -> None:
        vault.keep_bytes(view_name(folder, view), content)
        stored.append(view_name(folder, view))

    for (layer, axis), sheet in sheets.pictures.items():
        keep(f"{layer}-{axis}", sheet)
    keep("picture.png", sheets.composed(with_reference=True))
    keep("plan.json", json.dumps(plan).encode())


def _finish(lease: Lease, *, requested: int, suspects: Sequence[SuspectCase], note: str = "", **changes: Any) -> None:
    """Replace the result, release the lease, and request again what was requested during the work."""
    replaced: list[str] = []
    with suppress(LeaseLostError), lease.completing() as row:
        replaced = list(row.suspects.exclude(folder="").values_list("folder", flat=True))
        row.suspects.all().delete()
        for suspect in suspects:
            suspect.search = row
        SuspectCase.objects.bulk_create(suspects)
        for name, value in changes.items():
            setattr(row, name, value)
        row.note, row.computed, row.progress, row.attempts = note, requested, {}, 0
        row.finished_at = timezone.now()
        if row.is_due:
            ask(SUSPECTS, row)
    for folder in replaced:
        plan = views_of(folder)
        if plan is not None:
            names = [f"{layer['name']}-{strip['axis']}" for layer in plan["layers"] for strip in plan["strips"]]
            _delete([view_name(folder, name) for name in (*names, *VIEWS)])


def _delete(names: Sequence[str]) -> None:
    for name in names:
        delete(name)


def _give_up(lease: Lease) -> None:
    """End a search that takes its workers down, until the next ranking."""
    row = SuspectSearch.objects.get(pk=lease.pk)
    _finish(lease, requested=row.requested, note=UNEXPECTED, suspects=[])
