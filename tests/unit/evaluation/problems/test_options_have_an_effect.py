"""Options that scoring a kind of problem would ignore are refused, and registered documents that list them stay readable."""

import copy

import pytest

from evaluation import problems
from evaluation.assessment import AssessmentError, check_ignored_options, parse
from evaluation.catalogue import all_metrics
from evaluation.problems.offered_metrics import kinds_with, options_for
from evaluation.scoring import score_folders

KINDS = [kind.id for kind in problems.scored_problems() if kind.source == "podium" and kind.category]
POLICY = {"missing": 1.0, "degenerate": 1.0, "ref_empty": 1.0, "pred_empty": 1.0, "both_empty": 1.0}
# Values of options without a safe default.
SET = {"threshold_probability": 0.5, "radius": 2, "threshold": 0.5, "coverage": 0.5, "risk": 0.5, "time": 1.0, "k": 1}


def metrics_of(kind):
    return [metric for metric in all_metrics() if kind in kinds_with(metric) and not metric.is_criterion]


def entry(metric, **options):
    needed = {o.name: SET.get(o.name, o.default) for o in metric.assessment_options if o.required}
    return {"id": metric.id, "options": {**needed, **options}, "policy": POLICY}


def ignored_options(metric, kind):
    read = {option.name for option in options_for(metric, kind)}
    return [option for option in metric.assessment_options if option.name not in read]


def other_value(option):
    """Return a value that differs from the default."""
    if option.choices:
        return next(choice for choice in option.choices if choice != option.default)
    others = {"boolean": True, "string": "benign", "array": [0.25, 0.75], "integer": 3, "object": {"core": 1.0}}
    return others.get(option.type, 0.25)


@pytest.mark.parametrize("kind", KINDS)
def test_an_ignored_option_is_refused_in_every_metric_even_with_its_default(kind, tmp_path):
    document = problems.get(kind).samples.write_challenge(tmp_path)
    for metric in metrics_of(kind):
        for option in ignored_options(metric, kind):
            for value in (option.default_document, other_value(option)):
                written_out = len(metric.assessment_options) == 1 and value == option.default_document
                if written_out or (value is None and option.stands_where_set):
                    continue
                with pytest.raises(AssessmentError, match=f"options.{option.name}: .*does not use it"):
                    check_ignored_options(parse({**document, "metrics": [entry(metric, **{option.name: value})]}))


@pytest.mark.parametrize("kind", KINDS)
def test_registered_documents_stay_readable_and_an_ignored_option_changes_no_value(kind, tmp_path):
    """Options that the catalogue declares as ignored are ignored: other values give the same results."""
    document = problems.get(kind).samples.write_challenge(tmp_path)
    plain = {**document, "metrics": [], "ranking": {}}
    changed = copy.deepcopy(plain)
    for metric in metrics_of(kind):
        options = ignored_options(metric, kind)
        if not options:
            continue
        complete = parse({**plain, "metrics": [entry(metric)]}).document["metrics"][0]
        plain["metrics"].append(complete)
        changed["metrics"].append(copy.deepcopy(complete))
        for option in options:
            changed["metrics"][-1]["options"][option.name] = other_value(option)
    if not plain["metrics"]:
        pytest.skip(f"{kind} ignores no option")
    before = parse(plain)
    check_ignored_options(before)
    assert parse(before.document) == before
    after = parse(changed)
    with pytest.raises(AssessmentError, match=r"metrics\[0\].options"):
        check_ignored_options(after)

    predictions = {path.name: path for path in (tmp_path / "predictions").iterdir()}
    values = [
        sorted((row.algorithm, row.case, row.region, row.metric, row.value, row.outcome) for row in scored.rows)
        for scored in (score_folders(each, tmp_path / "references", predictions) for each in (before, after))
    ]
    assert repr(values[0]) == repr(values[1])


def test_a_dice_per_case_is_not_registered_as_a_pooled_or_an_object_wise_score(tmp_path):
    document = problems.get("semantic_segmentation").samples.write_challenge(tmp_path)
    for options in ({"scale": "dataset"}, {"level": "object"}, {"localization_criterion": "loc_box_iou"}):
        with pytest.raises(AssessmentError):
            parse({**document, "metrics": [{"id": "fbeta", "options": options}]})
    assert parse({**document, "metrics": [{"id": "fbeta", "options": {"level": "pixel", "beta": 2}}]})


@pytest.mark.parametrize("criterion", ["loc_mask_iou", "loc_boundary_iou"])
def test_a_criterion_of_masks_is_refused_for_boxes_and_points(criterion, tmp_path):
    document = problems.get("object_detection").samples.write_challenge(tmp_path)
    options = {"localization_criterion": criterion}
    with pytest.raises(AssessmentError, match="one of loc_box_iou"):
        parse({**document, "metrics": [{"id": "average_precision", "options": options}]})
