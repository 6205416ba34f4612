"""Values of metrics by direct calls of their functions with the registered options, from the sample files alone.

Nothing here uses the code that scores submissions: files are read with common libraries, and each function of
`evaluation.metrics` is called as in a notebook. A rehearsal compares the results with those of scoring.
"""

from __future__ import annotations

import csv
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation import catalogue
from evaluation.problems.computed_risk import risk_of
from evaluation.problems.offered_metrics import function_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse, Region
    from evaluation.outcomes import Result

DirectValue = tuple[str, str, str, "Result"]
"""Case (empty for the whole data set), region, name of the metric, and result."""


@dataclass(frozen=True)
class Sample:
    """References and one complete sample submission.

    Attributes
    ----------
    facts
        Characteristics of each case.
    """

    assessment: Assessment
    references: Path
    predictions: Path
    cases: Sequence[str]
    facts: Mapping[str, Mapping[str, str]]


def direct_values(sample: Sample) -> Iterator[DirectValue]:
    """Yield every value that a direct call computes; nothing for kinds of problem without direct computation."""
    compute = _BY_PROBLEM.get(sample.assessment.problem)
    if compute is not None:
        yield from compute(sample)


def _call(function: Callable[..., Result], *arguments: Any, options: Mapping[str, Any], **more: Any) -> Result:
    """Call a function with those registered options that it takes."""
    parameters = inspect.signature(function).parameters
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    chosen = {name: value for name, value in options.items() if takes_any or name in parameters}
    chosen |= {name: value for name, value in more.items() if takes_any or name in parameters}
    return function(*arguments, **chosen)


def _function(use: MetricUse, problem: str) -> Callable[..., Result]:
    return function_for(catalogue.get(use.id), problem)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


# Masks ----------------------------------------------------------------------------------------------------------------


def _image(folder: Path, case: str) -> tuple[NDArray[Any], tuple[float, ...]]:
    """Return an image with its spacing."""
    path = next(each for each in sorted(folder.iterdir()) if each.name.startswith(f"{case}.") and each.suffix != ".csv")
    if path.name.endswith((".nii", ".nii.gz")):
        import nibabel

        image: Any = nibabel.load(path)
        return np.asarray(image.dataobj), tuple(float(size) for size in image.header.get_zooms()[: image.ndim])
    from PIL import Image

    # Axes in the order of the grid, x first, as in volumes.
    array = np.asarray(Image.open(path))
    return array.T, (1.0,) * array.ndim


def _mask(image: NDArray[Any], region: Region) -> NDArray[np.bool_]:
    return np.isin(image, [int(label) for label in region.labels])


def _of_masks(
    use: MetricUse, problem: str, region: str, truth: NDArray[Any], guess: NDArray[Any], spacing: Sequence[float]
) -> Result:
    options = dict(use.options)
    registered = options.pop("spacing", "from_image")
    by_region = options.get("tolerance_by_region") or {}
    if region in by_region:
        options["tolerance"] = float(by_region[region])
    chosen = spacing if registered == "from_image" else registered
    return _call(_function(use, problem), truth, guess, options=options, spacing=tuple(chosen))


def _segmentation(sample: Sample) -> Iterator[DirectValue]:
    assessment = sample.assessment
    ignored = [int(label) for label in assessment.settings.get("ignore_labels") or ()]
    images = {}
    for case in sample.cases:
        truth, spacing = _image(sample.references, case)
        guess, _ = _image(sample.predictions, case)
        keep = ~np.isin(truth, ignored)
        images[case] = (np.where(keep, truth, 0), np.where(keep, guess, 0), keep, spacing)
    uses = [use for use in assessment.computed if not _judges_confidence(use)]
    for use in uses:
        regions: list[tuple[str, Callable[..., NDArray[Any]]]] = [
            (region.name, lambda image, _, region=region: _mask(image, region)) for region in assessment.regions
        ]
        if use.options.get("include_background"):
            labels = [int(label) for region in assessment.regions for label in region.labels]
            regions.append(("background", lambda image, keep, labels=labels: ~np.isin(image, labels) & keep))
        for name, mask in regions:
            pairs = [(mask(truth, keep), mask(guess, keep)) for truth, guess, keep, _ in images.values()]
            if use.level == "dataset":
                function = _function(use, "semantic_segmentation")
                spacings = [spacing for *_, spacing in images.values()]
                sides = map(list, zip(*pairs, strict=True))
                yield "", name, use.name, _call(function, *sides, options=use.options, spacing=spacings)
                continue
            for (case, (*_, spacing)), (truth, guess) in zip(images.items(), pairs, strict=True):
                yield case, name, use.name, _of_masks(use, "semantic_segmentation", name, truth, guess, spacing)


def _judges_confidence(use: MetricUse) -> bool:
    return "confidences" in catalogue.get(use.id).needs


# Objects --------------------------------------------------------------------------------------------------------------

_OF_LISTS: Final = ("evaluation.metrics.detection",)
"""Modules whose functions take the objects of all images."""


def _object_metric(
    sample: Sample, use: MetricUse, sides: Mapping[str, tuple[Any, Any]]
) -> Iterator[tuple[str, Result]]:
    """Yield the values of a metric of objects: of each case, or of all with an empty name."""
    function = _function(use, sample.assessment.problem)
    options = dict(use.options)
    options.pop("level", None)
    takes_lists = function.__module__ in _OF_LISTS
    scale = options.get("scale", "dataset")
    if use.level == "dataset":
        truths, guesses = [each[0] for each in sides.values()], [each[1] for each in sides.values()]
        more: dict[str, Any] = {}
        if scale == "patient":
            more["patients"] = [sample.facts[case]["patient"] for case in sides]
        if options.get("per") == "area":
            more["areas"] = [float(sample.facts[case]["area_mm2"]) for case in sides]
        if catalogue.get(use.id).evidence == "panoptic":
            yield "", _panoptic(use, truths, guesses)
            return
        if not takes_lists:
            raise _NoDirectCallError("scores of detections against hits")
        yield "", _call(function, truths, guesses, options=options, **more)
        return
    for case, (truth, guess) in sides.items():
        if use.options.get("level") == "pixel":
            raise _NoDirectCallError("pixels of matched objects")
        if takes_lists:
            yield case, _call(function, [truth], [guess], options=options | {"scale": "dataset"})
        elif {"instances"} & catalogue.get(use.id).needs:
            options.pop("scale", None)
            options.pop("include_background", None)
            yield case, _call(function, truth, guess, options=options)
        else:
            raise _NoDirectCallError("masks of matched objects")


def _panoptic(use: MetricUse, truths: Sequence[Any], guesses: Sequence[Any]) -> Result:
    """Return panoptic quality or a factor of it from counts that are added over all images."""
    from evaluation.metrics.instance import panoptic_counts
    from evaluation.outcomes import Flag, Outcome, ok, undefined

    each = [
        _call(panoptic_counts, truth, guess, options=use.options)  # type: ignore[arg-type]
        for truth, guess in zip(truths, guesses, strict=True)
    ]
    tp, fp, fn, iou = (sum(float(getattr(counts, name)) for counts in each) for name in ("tp", "fp", "fn", "iou"))
    if not tp + fp + fn:
        return undefined(Outcome.BOTH_EMPTY)
    quality = tp / (tp + 0.5 * fp + 0.5 * fn)
    if use.id == "detection_quality":
        return ok(quality)
    if use.id == "panoptic_quality":
        return ok(iou / (tp + 0.5 * fp + 0.5 * fn))
    return ok(iou / tp) if tp else undefined(Outcome.DEGENERATE, Flag.NONE)


class _NoDirectCallError(NotImplementedError):
    """Raised for a value that no single function of the package computes."""


def _objects(sample: Sample) -> Iterator[DirectValue]:
    from evaluation.matching import Objects

    axes = [name for name in _rows(sample.references / "objects.csv")[0] if name not in ("case", "class", "score")]
    is_box = "x_min" in axes
    dimensions = len(axes) // 2 if is_box else len(axes)

    def read(path: Path) -> dict[str, Any]:
        rows = _rows(path)
        of_cases = {}
        for case in sample.cases:
            case_rows = [row for row in rows if row["case"] == case]
            places = np.array([[float(row[axis]) for axis in axes] for row in case_rows]).reshape(
                len(case_rows), len(axes)
            )
            of_cases[case] = Objects(
                boxes=places if is_box else None,
                points=None if is_box else places,
                classes=[row["class"] for row in case_rows] if rows and "class" in rows[0] else None,
                scores=[float(row["score"]) for row in case_rows] if rows and "score" in rows[0] else None,
                spacing=_object_spacing(sample, case, dimensions),
            )
        return of_cases

    yield from _values_of_objects(
        sample, read(sample.references / "objects.csv"), read(sample.predictions / "objects.csv")
    )


def _object_spacing(sample: Sample, case: str, dimensions: int) -> list[float] | None:
    spacing = sample.assessment.settings.get("spacing")
    if spacing == "cases":
        return [float(sample.facts[case][f"spacing_{axis}"]) for axis in "xyz"[:dimensions]]
    return None if spacing is None else list(spacing)


def _instances(sample: Sample) -> Iterator[DirectValue]:
    from evaluation.matching import Objects, from_label_map

    connectivity: Any = next(
        (
            use.options["instance_connectivity"]
            for use in sample.assessment.computed
            if "instance_connectivity" in use.options
        ),
        "as_submitted",
    )

    def read(folder: Path) -> dict[str, Any]:
        path = folder / "instances.csv"
        rows = _rows(path) if path.is_file() else []
        of_cases = {}
        for case in sample.cases:
            image, spacing = _image(folder, case)
            rows_by_label = {int(row["instance"]): row for row in rows if row["case"] == case}
            if connectivity != "as_submitted" or not rows_by_label:
                of_cases[case] = from_label_map(image, instance_connectivity=connectivity, spacing=spacing)
                continue
            ids = sorted(rows_by_label)
            of_cases[case] = Objects(
                labels=image,
                ids=ids,
                classes=[rows_by_label[label]["class"] for label in ids] if "class" in rows[0] else None,
                scores=[float(rows_by_label[label]["score"]) for label in ids] if "score" in rows[0] else None,
                spacing=spacing,
            )
        return of_cases

    yield from _values_of_objects(sample, read(sample.references), read(sample.predictions))


def _values_of_objects(sample: Sample, truths: Mapping[str, Any], guesses: Mapping[str, Any]) -> Iterator[DirectValue]:
    over_classes = ("mean_average_precision", "mean_average_recall")
    for use in sample.assessment.computed:
        regions: list[Region | None] = list(sample.assessment.regions) or [None]
        for region in [None] if use.id in over_classes else regions:
            sides = {
                case: (_of_region(truths[case], region), _of_region(guesses[case], region)) for case in sample.cases
            }
            try:
                for case, result in _object_metric(sample, use, sides):
                    yield case, "" if region is None else region.name, use.name, result
            except _NoDirectCallError:
                continue


def _of_region(objects: Any, region: Region | None) -> Any:
    if region is None or objects.classes is None:
        return objects
    labels = {str(label) for label in region.labels}
    return objects.select(np.array([name in labels for name in objects.classes], dtype=bool))


# Tables of cases ------------------------------------------------------------------------------------------------------


def _classification(sample: Sample) -> Iterator[DirectValue]:
    assessment = sample.assessment
    truth = {row["case"]: row["label"] for row in _rows(sample.references / "labels.csv")}
    answers = {row["case"]: row for row in _rows(sample.predictions / "labels.csv")}
    named = list(dict.fromkeys(str(label) for region in assessment.regions for label in region.labels))
    occurring = sorted(set(truth.values()))
    classes = named if set(occurring) <= set(named) else [*(name for name in occurring if name not in named), *named]
    if not named:
        classes = occurring
    reference = [truth[case] for case in sample.cases]
    codes = [classes.index(name) for name in reference]
    scores = np.array([[float(answers[case][f"p_{name}"]) for name in classes] for case in sample.cases])
    groups = {region.name: [str(label) for label in region.labels] for region in assessment.regions}
    for use in assessment.computed:
        function = _function(use, assessment.problem)
        options = {name: value for name, value in use.options.items() if name != "positive_class"}
        if catalogue.get(use.id).evidence == "paired":
            # Of two numbers per case: the positions of the classes.
            yield "", "", use.name, _call(function, codes, np.argmax(scores, axis=1), options=options)
            continue
        parameters = inspect.signature(function).parameters
        if options.get("report") == "overall":
            yield "", "", use.name, _call(function, reference, scores, options=options, classes=classes)
            continue
        if "positive_class" not in parameters or options.get("class_average", "per_class") != "per_class":
            average = options.get("class_average", "per_class")
            if "class_average" in parameters and groups and average in ("macro", "weighted"):
                plain = {name: value for name, value in options.items() if name != "class_average"}
                results = [
                    _of_group(function, use, plain, reference, scores, classes, group) for group in groups.values()
                ]
                occurs = [sum(name in group for name in reference) for group in groups.values()]
                yield "", "", use.name, _averaged(results, occurs, weighted=average == "weighted")
                continue
            result = _call(function, reference, scores, options=options, classes=classes)
            if use.id != "cwce":
                yield "", "", use.name, result
            continue
        chosen = use.options.get("positive_class")
        regions = [chosen] if chosen is not None else list(groups) or (classes if len(classes) > 2 else classes[-1:])
        for region in regions:
            group = groups.get(region, [region])
            yield "", region, use.name, _of_group(function, use, options, reference, scores, classes, group)


def _averaged(results: Sequence[Result], occurs: Sequence[int], *, weighted: bool) -> Result:
    """Return the mean over classes that the reference has; an undefined value that a prediction causes counts as 0."""
    from evaluation.outcomes import Flag, Outcome, ok, undefined

    pairs = [
        (0.0 if result.value is None else result.value, number if weighted else 1)
        for result, number in zip(results, occurs, strict=True)
        if number and not (result.outcome is Outcome.DEGENERATE and result.flag is Flag.REFERENCE)
    ]
    total = sum(weight for _, weight in pairs)
    if not total:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    return ok(sum(value * weight for value, weight in pairs) / total)


def _of_group(
    function: Callable[..., Result],
    use: MetricUse,
    options: Mapping[str, Any],
    reference: Sequence[str],
    scores: NDArray[Any],
    classes: Sequence[str],
    group: Sequence[str],
) -> Result:
    """Judge one class, or several together, against the others: by the decisions, or by the sum of their scores."""
    threshold = options.get("score_threshold")
    if len(group) == 1 and len(classes) == 2 and threshold is not None:
        # There is one decision per case: the threshold applies to the registered class, or to the last one.
        chosen = classes.index(str(use.options.get("positive_class") or classes[-1]))
        labels = [classes[chosen if row[chosen] >= float(threshold) else 1 - chosen] for row in scores]
        return _call(function, reference, labels, options=options, classes=classes, positive_class=group[0])
    if len(group) == 1:
        return _call(function, reference, scores, options=options, classes=classes, positive_class=group[0])
    inside = [name in group for name in classes]
    truth = ["in" if name in group else "out" for name in reference]
    if catalogue.get(use.id).requires("scores") or use.id == "net_benefit":
        summed = np.minimum(scores[:, inside].sum(axis=1), 1)
        return _call(function, truth, summed, options=options, classes=["out", "in"], positive_class="in")
    decided = ["in" if inside[int(np.argmax(row))] else "out" for row in scores]
    return _call(function, truth, decided, options=options, classes=["out", "in"], positive_class="in")


def _findings(sample: Sample) -> Iterator[DirectValue]:
    assessment = sample.assessment
    truth = {row["case"]: row for row in _rows(sample.references / "labels.csv")}
    answers = {row["case"]: row for row in _rows(sample.predictions / "labels.csv")}
    labels = [name for name in next(iter(truth.values())) if name != "case"]
    columns = {region.name: str(region.labels[0]) for region in assessment.regions} or {name: name for name in labels}
    for use in assessment.computed:
        function = _function(use, assessment.problem)
        options = {
            name: value for name, value in use.options.items() if name not in ("positive_class", "class_average")
        }
        if catalogue.get(use.id).evidence == "labels":
            labels = list(dict.fromkeys(columns.values()))
            reference = np.array([[int(truth[case][name]) for name in labels] for case in sample.cases])
            scores = np.array([[float(answers[case][f"p_{name}"]) for name in labels] for case in sample.cases])
            yield "", "", use.name, _call(function, reference, (scores >= 0.5).astype(int), options=options)
            continue
        if (average := use.options.get("class_average", "per_class")) != "per_class":
            if average in ("macro", "weighted"):
                results, occurs = [], []
                for label in dict.fromkeys(columns.values()):
                    of_label = [int(truth[case][label]) for case in sample.cases]
                    scored = [float(answers[case][f"p_{label}"]) for case in sample.cases]
                    results.append(_call(function, of_label, scored, options=options, classes=[0, 1]))
                    occurs.append(sum(of_label))
                yield "", "", use.name, _averaged(results, occurs, weighted=average == "weighted")
            continue
        for region, label in columns.items():
            if use.options.get("positive_class") not in (None, label, region):
                continue
            of_label = [int(truth[case][label]) for case in sample.cases]
            scored = [float(answers[case][f"p_{label}"]) for case in sample.cases]
            yield "", region, use.name, _call(function, of_label, scored, options=options, classes=[0, 1])


def _numbers(sample: Sample) -> Iterator[DirectValue]:
    assessment = sample.assessment
    truth = {row["case"]: row for row in _rows(sample.references / "values.csv")}
    answers = {row["case"]: row for row in _rows(sample.predictions / "values.csv")}
    columns = {region.name: str(region.labels[0]) for region in assessment.regions}
    columns = columns or {name: name for name in next(iter(truth.values())) if name != "case"}
    for use in assessment.computed:
        function = _function(use, assessment.problem)
        for region, column in columns.items():
            pairs = [(float(truth[case][column]), float(answers[case][column])) for case in sample.cases]
            if use.level == "case":
                for case, (value, answer) in zip(sample.cases, pairs, strict=True):
                    yield case, region, use.name, _call(function, value, answer, options=use.options)
                continue
            reference, prediction = map(list, zip(*pairs, strict=True))
            yield "", region, use.name, _call(function, reference, prediction, options=use.options)


def _survival(sample: Sample) -> Iterator[DirectValue]:
    assessment = sample.assessment
    truth = {row["case"]: row for row in _rows(sample.references / "survival.csv")}
    answers = {row["case"]: row for row in _rows(sample.predictions / "survival.csv")}

    def followed(rows: Sequence[Mapping[str, str]]) -> list[tuple[float, float]]:
        return [(float(row["time"]), float(row["event"])) for row in rows]

    reference = followed([truth[case] for case in sample.cases])
    others = sample.references / "censoring.csv"
    censoring = followed(_rows(others)) if assessment.settings.get("ipcw") == "training" else None
    times = [float(time) for time in assessment.settings.get("times") or ()]
    risks = [float(answers[case]["risk"]) for case in sample.cases]
    for use in assessment.computed:
        function, options = _function(use, assessment.problem), dict(use.options)
        given: Any = risks
        if "scores" in catalogue.get(use.id).needs:
            given = np.array([[float(answers[case][f"s_{time:g}"]) for time in times] for case in sample.cases])
            if "time" in options:
                given = given[:, times.index(float(options["time"]))]
            else:
                options["times"] = times
        yield "", "", use.name, _call(function, reference, given, options=options, censoring=censoring)


def _confidences(
    sample: Sample, uses: Sequence[MetricUse], risks: Mapping[str, float], sure: Mapping[str, float]
) -> Iterator[DirectValue]:
    settings = sample.assessment.settings
    column = settings.get("dataset")
    groups: dict[str, list[str]] = {}
    for case in sample.cases:
        groups.setdefault(sample.facts[case][column] if column else "", []).append(case)
    if column and settings.get("pooled"):
        groups[""] = list(sample.cases)
    for use in uses:
        function = _function(use, "failure_detection")
        if use.level == "case":
            for case in sample.cases:
                yield case, "", use.name, _call(function, risks[case], options=use.options)
            continue
        for group, cases in groups.items():
            yield (
                "",
                group,
                use.name,
                function([risks[case] for case in cases], [sure[case] for case in cases], **use.options),
            )


def _failures(sample: Sample) -> Iterator[DirectValue]:
    risks = {row["case"]: float(row["risk"]) for row in _rows(sample.references / "risk.csv")}
    yield from _confidences(sample, sample.assessment.computed, risks, _read_confidences(sample))


def _read_confidences(sample: Sample) -> dict[str, float]:
    return {row["case"]: float(row["confidence"]) for row in _rows(sample.predictions / "confidence.csv")}


def _segmentation_with_confidence(sample: Sample) -> Iterator[DirectValue]:
    yield from _segmentation(sample)
    uses = [use for use in sample.assessment.computed if _judges_confidence(use)]
    rule = risk_of(sample.assessment.settings)
    chosen = rule.regions or tuple(region.name for region in sample.assessment.regions)
    risks = {}
    for case in sample.cases:
        truth, spacing = _image(sample.references, case)
        guess, _ = _image(sample.predictions, case)
        results = [
            _of_masks(
                rule.use, "semantic_segmentation", region.name, _mask(truth, region), _mask(guess, region), spacing
            )
            for region in sample.assessment.regions
            if region.name in chosen
        ]
        diagonal = float(np.linalg.norm(np.array(truth.shape) * spacing))
        risk = rule.of_regions(results, diagonal)
        if risk is None:
            return
        risks[case] = risk
    yield from _confidences(sample, uses, risks, _read_confidences(sample))


# Landmarks ------------------------------------------------------------------------------------------------------------


def _landmarks(sample: Sample) -> Iterator[DirectValue]:
    assessment = sample.assessment

    def read(path: Path) -> dict[str, dict[str, list[float]]]:
        points: dict[str, dict[str, list[float]]] = {case: {} for case in sample.cases}
        for row in _rows(path):
            points[row["case"]][row["landmark"]] = [float(row[axis]) for axis in "xyz" if axis in row]
        return points

    truths = read(sample.references / "landmarks.csv")
    guesses = read(sample.predictions / "landmarks.csv")
    names = sorted({name for points in truths.values() for name in points})
    groups = {region.name: [str(label) for label in region.labels] for region in assessment.regions}
    groups = groups or {name: [name] for name in names}

    def scaled(points: Mapping[str, list[float]], case: str, chosen: Sequence[str]) -> NDArray[np.float64]:
        axes = len(next(iter(points.values())))
        scale = np.ones(axes)
        if assessment.settings.get("spacing") == "cases":
            scale = np.array([float(sample.facts[case][f"spacing_{axis}"]) for axis in "xyz"[:axes]])
        return np.array([points[name] for name in chosen]) * scale

    for use in assessment.computed:
        function = _function(use, assessment.problem)
        for region, chosen in groups.items():
            pairs = {case: (scaled(truths[case], case, chosen), scaled(guesses[case], case, chosen)) for case in truths}
            if use.level == "case":
                for case, (truth, guess) in pairs.items():
                    penalty = assessment.settings["penalty"]
                    lost = (
                        float(sample.facts[case]["image_diagonal"]) if penalty == "image_diagonal" else float(penalty)
                    )
                    yield case, region, use.name, _call(function, truth, guess, options=use.options, penalty=lost)
            elif "all_landmarks" in catalogue.get(use.id).needs:
                landmarks = {case: scaled(truths[case], case, names) for case in truths}
                yield "", region, use.name, _identified(pairs, landmarks, float(use.options["radius"]))
            else:
                reference, prediction = map(list, zip(*pairs.values(), strict=True))
                yield "", region, use.name, _call(function, reference, prediction, options=use.options)


def _identified(
    pairs: Mapping[str, tuple[NDArray[Any], NDArray[Any]]], landmarks: Mapping[str, NDArray[Any]], radius: float
) -> Result:
    """Return the share of landmarks whose prediction is near, with no other landmark of the reference nearer."""
    from evaluation.outcomes import ok

    hits = total = 0
    for case, (truth, guess) in pairs.items():
        distance = np.linalg.norm(guess[:, None] - landmarks[case][None], axis=2)
        distance_to_truth = np.linalg.norm(guess - truth, axis=1)
        hits += int(((distance_to_truth <= radius) & (distance_to_truth <= distance.min(axis=1) + 1e-12)).sum())
        total += len(truth)
    return ok(hits / total)


# Images and fields ----------------------------------------------------------------------------------------------------


def _intensities(sample: Sample) -> Iterator[DirectValue]:
    assessment = sample.assessment
    given = assessment.settings.get("data_range")
    for case in sample.cases:
        truth, guess = (_image(each, case)[0].astype(float) for each in (sample.references, sample.predictions))
        span = (0.0, float(given)) if isinstance(given, (int, float)) else given
        span = (float(truth.min()), float(truth.max())) if span == "reference" else span
        regions: dict[str, Any] = {"": None}
        if assessment.regions:
            mask, _ = _image(sample.references / "masks", case)
            regions = {region.name: _mask(mask, region) for region in assessment.regions}
        for use in assessment.computed:
            function = _function(use, assessment.problem)
            for name, region in regions.items():
                result = _call(function, truth, guess, options=use.options, region=region, data_range=span)
                yield case, name, use.name, result


def _fields(sample: Sample) -> Iterator[DirectValue]:
    from scipy.ndimage import map_coordinates

    from evaluation.problems.registered_examples import FIELD_SPACING

    assessment = sample.assessment
    signs = {"mm_lps": np.array((-1, -1, 1))}
    right = np.ones(3)
    for case in sample.cases:
        fixed, _ = _image(sample.references / case, "fixed_labels")
        moving, _ = _image(sample.references / case, "moving_labels")
        axes = fixed.ndim
        spacing = np.array(FIELD_SPACING[:axes])
        field, _ = _image(sample.predictions, case)
        field = field.reshape((*fixed.shape, axes)).astype(float)
        if assessment.settings["field"] != "voxel":
            # Files of intent 1007 and 1006 are written in the registered convention.
            field = field * signs.get(assessment.settings["field"], right)[:axes] / spacing
        grid = np.indices(fixed.shape).astype(float)
        places = grid + np.moveaxis(field, -1, 0)
        nearest = np.rint(places).astype(int)
        sizes = np.reshape(fixed.shape, (axes, *(1,) * axes))
        inside = np.all((nearest >= 0) & (nearest < sizes), axis=0)
        clipped = np.clip(nearest, 0, sizes - 1)
        pulled = np.where(inside, moving[tuple(clipped)], 0)
        points = {}
        for part in ("fixed", "moving"):
            rows = _rows(sample.references / case / f"{part}_landmarks.csv")
            given = np.array([[float(row[axis]) for axis in "xyz"[:axes]] for row in rows])
            if assessment.settings["landmarks"] != "voxel":
                given = given * signs.get(assessment.settings["landmarks"], right)[:axes] / spacing
            points[part] = given
        for use in assessment.computed:
            needs, function = catalogue.get(use.id).needs, _function(use, assessment.problem)
            if "landmarks" in needs:
                if use.options.get("interpolation", "linear") != "linear":
                    continue
                moved = points["fixed"] + np.stack(
                    [
                        map_coordinates(field[..., axis], points["fixed"].T, order=1, mode="nearest")
                        for axis in range(axes)
                    ],
                    1,
                )
                yield (
                    case,
                    "",
                    use.name,
                    _call(function, points["moving"] * spacing, moved * spacing, options=use.options),
                )
            elif "field" in needs:
                yield case, "", use.name, _call(function, field, options=use.options)
            else:
                for region in assessment.regions:
                    truth, guess = _mask(fixed, region), _mask(pulled, region)
                    yield (
                        case,
                        region.name,
                        use.name,
                        _of_masks(use, "semantic_segmentation", region.name, truth, guess, FIELD_SPACING[:axes]),
                    )


def _moved_landmarks(sample: Sample) -> Iterator[DirectValue]:
    from evaluation.problems.registered_examples import FIELD_SPACING

    scale = FIELD_SPACING if sample.assessment.settings["landmarks"] == "voxel" else (1.0, 1.0, 1.0)

    def read(path: Path) -> NDArray[np.float64]:
        points = np.array([[float(row[axis]) for axis in "xyz" if axis in row] for row in _rows(path)])
        return points * scale[: points.shape[1]]

    for case in sample.cases:
        truth = read(sample.references / case / "moving_landmarks.csv")
        guess = read(sample.predictions / f"{case}.csv")
        for use in sample.assessment.computed:
            yield (
                case,
                "",
                use.name,
                _call(_function(use, sample.assessment.problem), truth, guess, options=use.options),
            )


_BY_PROBLEM: Final[Mapping[str, Callable[[Sample], Iterator[DirectValue]]]] = {
    "semantic_segmentation": _segmentation,
    "instance_segmentation": _instances,
    "object_detection": _objects,
    "image_classification": _classification,
    "multilabel_classification": _findings,
    "regression": _numbers,
    "survival": _survival,
    "failure_detection": _failures,
    "segmentation_with_confidence": _segmentation_with_confidence,
    "landmarks": _landmarks,
    "image_to_image": _intensities,
    "registration": _fields,
    "landmark_registration": _moved_landmarks,
}
