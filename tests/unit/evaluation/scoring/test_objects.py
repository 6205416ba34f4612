"""Objects of folders: detection and instance segmentation through the command line, and their evidence."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from evaluation.assessment import AssessmentError, parse
from evaluation.catalogue import all_metrics
from evaluation.cli import main
from evaluation.metrics import detection, instance
from evaluation.metrics.detections import of_class
from evaluation.problems.offered_metrics import kinds_with
from evaluation.readers.object_tables import read_objects
from evaluation.scoring import read_evidence, read_results, recompute
from evaluation.scoring.evidence import recompute_values

NEAR = {"localization_criterion": "loc_mask_iou", "assignment": "hungarian"}
INSTANCES = {
    "schema": 1,
    "problem": "instance_segmentation",
    "regions": [{"name": "cell", "labels": ["cell"]}],
    "metrics": [
        {"id": "panoptic_quality", "name": "pq"},
        {"id": "panoptic_quality", "name": "pq_image", "options": {"scale": "image"}},
        {"id": "panoptic_quality", "name": "pq_patient", "options": {"scale": "patient"}},
        {"id": "segmentation_quality", "name": "sq_patient", "options": {"scale": "patient"}},
        {"id": "fbeta", "name": "f1", "options": NEAR},
        {"id": "fbeta", "name": "f1_image", "options": {**NEAR, "scale": "image"}},
        {"id": "average_precision", "name": "ap", "options": {"localization_criterion": "loc_mask_iou"}},
        {"id": "brier_score"},
        {"id": "mi_dsc"},
        {"id": "dsc"},
    ],
    "ranking": {"scheme": "aggregate_then_rank", "combine": None},
}
BOXES = {
    "schema": 1,
    "problem": "object_detection",
    "regions": [{"name": "a", "labels": ["a"]}, {"name": "b", "labels": ["b"]}],
    "metrics": [
        {"id": "average_precision", "name": "ap"},
        {"id": "average_precision", "name": "ap_tied", "options": {"ties": "sequential"}},
        {"id": "mean_average_precision", "name": "map", "options": {"localization_thresholds": [0.5, 0.75]}},
        {"id": "froc_score", "name": "froc"},
        {"id": "sensitivity", "name": "image_sensitivity", "options": {"scale": "image"}},
        {"id": "fbeta", "name": "f1"},
        {"id": "fppi", "policy": {"missing": 10}},
        {"id": "sensitivity_at_fppi", "name": "point"},
        {"id": "ece", "options": {"target": "positive_class"}},
    ],
    "ranking": {"scheme": "aggregate_then_rank", "combine": None},
}


def truth_and_guess(seed):
    rng = np.random.default_rng(seed)
    truth = np.zeros((20, 30), dtype=np.uint8)
    for label, (row, column) in enumerate(
        rng.permutation([(r, c) for r in (1, 8, 14) for c in (1, 9, 20)])[:4], start=1
    ):
        truth[row : row + 5, column : column + 6] = label
    guess = np.roll(truth, rng.integers(0, 3), axis=1)
    guess[guess == 2] = 0
    return truth, guess


@pytest.fixture
def cells(tmp_path):
    for name in ("references", "predictions/one", "predictions/two"):
        (tmp_path / name).mkdir(parents=True)
    rows = {name: ["case,instance,score"] for name in ("one", "two")}
    for number in range(4):
        truth, guess = truth_and_guess(number)
        Image.fromarray(truth).save(tmp_path / f"references/{number}.png")
        for name, image in (("one", guess), ("two", truth)):
            Image.fromarray(image).save(tmp_path / f"predictions/{name}/{number}.png")
            rows[name] += [f"{number},{label},{0.9 - 0.1 * label}" for label in np.unique(image[image > 0])]
    (tmp_path / "references/cases.csv").write_text("case,patient\n0,p\n1,p\n2,p\n3,q\n")
    for name in ("one", "two"):
        (tmp_path / f"predictions/{name}/instances.csv").write_text("\n".join(rows[name]) + "\n")
    (tmp_path / "assessment.json").write_text(json.dumps(INSTANCES))
    return tmp_path


def score(folder, *more):
    return main(
        ["score", str(folder / "assessment.json"), "--references", str(folder / "references"), "--predictions",
         str(folder / "predictions"), "--each", "--output", str(folder / "r.csv"), "--evidence", str(folder / "e.parquet"), *more]
    )  # fmt: skip


def value(table, algorithm, metric, case="", region=None):
    chosen = (table["algorithm"] == algorithm) & (table["metric"] == metric) & (table["case"] == case)
    if region is not None:
        chosen &= table["region"] == region
    (row,) = table[chosen].itertuples()
    return row.value


class TestInstances:
    def test_perfect_answers_are_perfect_and_scores_are_read(self, cells):
        assert score(cells) == 0
        table = read_results(cells / "r.csv")
        for name in ("pq", "pq_patient", "sq_patient", "f1", "ap"):
            assert value(table, "two", name) == 1.0
        assert value(table, "two", "brier_score") == pytest.approx(np.mean([0.2**2, 0.3**2, 0.4**2, 0.5**2]))

    def test_rows_of_cases_and_of_the_data_set(self, cells):
        score(cells, "--jobs", "2")
        table = read_results(cells / "r.csv")
        per_case = table[table["case"] != ""].groupby("metric").size().to_dict()
        assert per_case == {"pq_image": 8, "f1_image": 8, "mi_dsc": 8, "dsc": 8}
        assert set(table[table["case"] == ""]["metric"]) == {
            "pq",
            "pq_patient",
            "sq_patient",
            "f1",
            "ap",
            "brier_score",
        }
        truth, guess = truth_and_guess(0)
        assert value(table, "one", "pq_image", "0") == instance.panoptic_quality(truth, guess).value
        assert value(table, "one", "mi_dsc", "0") == pytest.approx(instance.mi_dsc(truth, guess).value)

    def test_pooled_and_per_patient_values_differ_as_they_should(self, cells):
        score(cells)
        table = read_results(cells / "r.csv")
        counts = [instance.panoptic_counts(*truth_and_guess(n)) for n in range(4)]

        def pooled(some):
            sums = [sum(getattr(count, name) for count in some) for name in ("iou", "tp", "fp", "fn")]
            return instance.panoptic_values("panoptic_quality", instance.PanopticCounts(*sums)).result().value

        assert value(table, "one", "pq") == pytest.approx(pooled(counts))
        assert value(table, "one", "pq_patient") == pytest.approx((pooled(counts[:3]) + pooled(counts[3:])) / 2)

    def test_a_missing_case_makes_the_whole_data_set_missing(self, cells):
        (cells / "predictions/one/2.png").unlink()
        score(cells)
        table = read_results(cells / "r.csv")
        own = table[table["algorithm"] == "one"]
        assert set(own[own["case"] == ""]["outcome"]) == {"missing"}
        assert set(own[own["case"] == "2"]["outcome"]) == {"missing"}
        assert set(table[table["algorithm"] == "two"]["outcome"]) == {"ok"}
        assert read_evidence(cells / "e.parquet").algorithms == ("two",)

    def test_without_scores_curves_do_not_apply(self, cells):
        (cells / "predictions/one/instances.csv").unlink()
        score(cells)
        table = read_results(cells / "r.csv")
        own = table[(table["algorithm"] == "one") & (table["case"] == "")].set_index("metric")["outcome"]
        assert own["ap"] == own["brier_score"] == "not_applicable"
        assert own["f1"] == "ok"


@pytest.mark.parametrize("scale", ["dataset", "image", "patient"])
def test_every_metric_of_the_catalogue_for_instances_can_be_scored(cells, scale):
    offered = [
        m for m in all_metrics() if "instance_segmentation" in kinds_with(m) and not m.is_criterion and m.id != "ior"
    ]
    uses = []
    for metric in offered:
        options = {"scale": scale} if any(option.name == "scale" for option in metric.options) else {}
        if any(option.name == "localization_criterion" for option in metric.options):
            options["localization_criterion"] = "loc_mask_iou"
        number = {"policy": {"missing": 9, "degenerate": 9}} if metric.worst is None and metric.unit is None else {}
        uses.append({"id": metric.id, "options": options, **number})
    (cells / "assessment.json").write_text(json.dumps({**INSTANCES, "metrics": uses}))
    assert score(cells) == 0
    table = read_results(cells / "r.csv")
    assert set(table["metric"]) == {metric.id for metric in offered}
    assert set(table["outcome"]) <= {"ok", "degenerate"}
    perfect = table[table["algorithm"] == "two"]
    # Without a false object among them there is no skill to compare.
    assert set(perfect[perfect["outcome"] != "ok"]["metric"]) <= {"brier_skill_score"}


CASES = [f"c{n}" for n in range(6)]


def write_boxes(path, seed, *, scored):
    rng = np.random.default_rng(seed)
    rows = ["case,class,score,x_min,y_min,x_max,y_max" if scored else "case,class,x_min,y_min,x_max,y_max"]
    for case in CASES[:5]:
        for _ in range(rng.integers(1, 5)):
            x, y = 10 * rng.integers(0, 3, 2) + rng.integers(0, 3, 2)
            score = f"{rng.choice([0.2, 0.5, 0.8])}," if scored else ""
            rows.append(f"{case},{rng.choice(['a', 'b'])},{score}{x},{y},{x + 8},{y + 8}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture(scope="module")
def boxes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boxes")
    write_boxes(folder / "references/objects.csv", 1, scored=False)
    (folder / "references/cases.csv").write_text("case\n" + "\n".join(CASES) + "\n")
    for number, name in enumerate(("one", "two"), start=2):
        write_boxes(folder / f"predictions/{name}/objects.csv", number, scored=True)
    (folder / "assessment.json").write_text(json.dumps(BOXES))
    assert score(folder) == 0
    return folder


class TestBoxes:
    def test_values_are_those_of_the_functions(self, boxes):
        table = read_results(boxes / "r.csv")
        truth = read_objects(boxes / "references/objects.csv", scored=False)
        found = read_objects(boxes / "predictions/one/objects.csv", scored=True)
        sides = [[of_class(side.of(case), "a") for case in CASES] for side in (truth, found)]
        assert value(table, "one", "ap", region="a") == pytest.approx(detection.average_precision(*sides).value)
        assert value(table, "one", "froc", region="a") == pytest.approx(detection.froc_score(*sides).value)
        assert value(table, "one", "fppi", region="a") == pytest.approx(detection.fppi(*sides).value)
        whole = [[side.of(case) for case in CASES] for side in (truth, found)]
        expected = detection.mean_average_precision(*whole, localization_thresholds=[0.5, 0.75]).value
        assert value(table, "one", "map") == pytest.approx(expected)

    def test_an_algorithm_without_a_table_is_missing_everywhere(self, boxes, tmp_path, capsys):
        (tmp_path / "predictions/none").mkdir(parents=True)
        (tmp_path / "references").symlink_to(boxes / "references")
        (tmp_path / "assessment.json").write_text(json.dumps(BOXES))
        assert score(tmp_path) == 2
        assert "None of the" in capsys.readouterr().err
        (tmp_path / "predictions/other").symlink_to(min((boxes / "predictions").iterdir()))
        assert score(tmp_path) == 0
        table = read_results(tmp_path / "r.csv")
        assert set(table.loc[table["algorithm"] == "none", "outcome"]) == {"missing"}
        assert "no objects.csv" in capsys.readouterr().err

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(0, 3), min_size=6, max_size=6).filter(any))
    def test_evidence_under_multiplicities_is_the_value_of_the_data_set_with_copies(self, boxes, times):
        assessment = parse(BOXES)
        evidence = read_evidence(boxes / "e.parquet")
        truth = read_objects(boxes / "references/objects.csv", scored=False)
        found = read_objects(boxes / "predictions/one/objects.csv", scored=True)
        copies = [case for case, count in zip(CASES, times, strict=True) for _ in range(count)]
        sides = [[of_class(side.of(case), "a") for case in copies] for side in (truth, found)]
        functions = {
            "ap": detection.average_precision,
            "froc": detection.froc_score,
            "f1": detection.fbeta,
            "fppi": detection.fppi,
            "point": lambda *images: detection.sensitivity_at_fppi(*images, target_fppi=1.0),
        }
        for name, function in functions.items():
            use = assessment.metric(name)
            again = recompute_values(use, evidence.select(name, "one", "a"), [times]).result()
            expected = function(*sides)
            assert again.outcome is expected.outcome, name
            assert again.value == (None if expected.value is None else pytest.approx(expected.value)), name

    def test_many_resamples_at_once_are_the_same_as_one_by_one(self, boxes):
        evidence = read_evidence(boxes / "e.parquet")
        times = np.random.default_rng(1).integers(0, 3, (20, 6))
        for use in parse(BOXES).metrics:
            if use.level == "dataset":
                own = evidence.select(use.name, "two", "" if use.id == "mean_average_precision" else "b")
                together = recompute(use, own, times)
                assert together == pytest.approx([recompute(use, own, row)[0] for row in times], nan_ok=True)


TWO = {**INSTANCES, "regions": [{"name": name, "labels": [name]} for name in ("a", "b")], "metrics": [
    {"id": "panoptic_quality", "name": "pq_image", "options": {"scale": "image"}},
    {"id": "average_precision", "name": "ap", "options": {"localization_criterion": "loc_mask_iou"}},
]}  # fmt: skip


class TestClassesOfInstances:
    """Labels 1 and 2 have the class a, 3 and 4 the class b; the first algorithm misses label 2."""

    @pytest.fixture
    def classed(self, cells):
        (cells / "assessment.json").write_text(json.dumps(TWO))
        for place in ("references", "predictions/one", "predictions/two"):
            rows = ["case,instance,class,score"]
            for number in range(4):
                labels = np.unique(np.asarray(Image.open(cells / f"{place}/{number}.png")))
                rows += [f"{number},{label},{'a' if label < 3 else 'b'},0.{label}" for label in labels[labels > 0]]
            (cells / f"{place}/instances.csv").write_text("\n".join(rows) + "\n")
        return cells

    def test_regions_to_be_ignored_need_no_class_and_count_for_nobody(self, classed):
        table = classed / "references/instances.csv"
        marked = [
            f"{row},ignore" if not number else f"{row},0" for number, row in enumerate(table.read_text().splitlines())
        ]
        table.write_text("\n".join(marked).replace("0,2,a,0.2,0", "0,2,,,1") + "\n")
        assert score(classed) == 0
        results = read_results(classed / "r.csv")
        # The first algorithm lacks that object, the second has one there: neither is held against them.
        truth, guess = truth_and_guess(0)
        rest = instance.panoptic_quality(np.where(truth == 1, truth, 0), np.where(guess == 1, guess, 0))
        assert value(results, "one", "pq_image", "0", region="a") == rest.value
        assert value(results, "two", "pq_image", "0", region="a") == 1.0
        table.write_text(table.read_text().replace("0,2,,,1", "0,2,,,x"))
        assert score(classed) == 2

    def test_objects_count_in_the_region_of_their_class(self, classed):
        assert score(classed) == 0
        table = read_results(classed / "r.csv")
        assert value(table, "two", "ap", region="a") == value(table, "two", "ap", region="b") == 1.0
        truth, guess = truth_and_guess(0)
        of_a = instance.panoptic_quality(np.where(truth < 3, truth, 0), np.where(guess < 3, guess, 0))
        assert value(table, "one", "pq_image", "0", region="a") == of_a.value
        assert value(table, "one", "pq_image", "0", region="b") != of_a.value

    @pytest.mark.parametrize(
        ("change", "reason", "precision"),
        [
            (lambda text: text.replace("0,1,a,0.1\n", ""), "no row for the instance 1 of 0.png", 7 / 8),
            (lambda text: text + "2,77,a,0.1\n", "the instance 77 has no pixel in 2.png", 1.0),
            (lambda text: text.replace("0,1,a,0.1", "0,1,a,1.0001"), "case 0: '1.0001' as score in row", 7 / 8),
            (lambda text: text.replace("0,1,a", "0,1,c"), "case 0: 'c' as class in row", 7 / 8),
            (lambda text: text + "0,1,a,0.1\n", "case 0: the instance 1 in row", 7 / 8),
        ],
    )
    def test_a_row_that_cannot_be_used_costs_only_its_object(self, classed, capsys, change, reason, precision):
        table = classed / "predictions/two/instances.csv"
        table.write_text(change(table.read_text()))
        assert score(classed) == 0
        assert reason in capsys.readouterr().err
        results = read_results(classed / "r.csv")
        assert "missing" not in set(results["outcome"])
        # One object of eight of the class is lost, and no value of another class or case.
        assert value(results, "two", "ap", region="a") == pytest.approx(precision)
        assert value(results, "two", "ap", region="b") == 1.0
        assert {value(results, "two", "pq_image", str(case), region="a") for case in range(1, 4)} == {1.0}

    def test_scores_of_any_size_give_the_same_curve(self, classed):
        table = classed / "predictions/one/instances.csv"
        head, *rows = table.read_text().splitlines()
        cells = [row.split(",") for row in rows]
        assert score(classed) == 0
        before = read_results(classed / "r.csv")
        shifted = [[*cell[:3], str(100 * float(cell[3]) - 50)] for cell in cells]
        table.write_text("\n".join([head, *map(",".join, shifted)]) + "\n")
        document = {**TWO, "settings": {"scores": "any"}}
        (classed / "assessment.json").write_text(json.dumps(document))
        assert score(classed) == 0
        after = read_results(classed / "r.csv")
        for region in ("a", "b"):
            assert value(after, "one", "ap", region=region) == value(before, "one", "ap", region=region)

    @pytest.mark.parametrize(
        ("change", "reason", "gone"),
        [
            (lambda text: text.replace(",class,", ",kind,"), "no column class", {"0", "1", "2", "3"}),
            (None, "no such table; expected the class of each object", {"0", "1", "2", "3"}),
        ],
    )
    def test_a_table_that_cannot_be_read_makes_all_cases_missing(self, classed, capsys, change, reason, gone):
        table = classed / "predictions/two/instances.csv"
        table.write_text(change(table.read_text())) if change else table.unlink()
        assert score(classed) == 0
        assert reason in capsys.readouterr().err
        results = read_results(classed / "r.csv")
        own = results[(results["algorithm"] == "two") & (results["outcome"] == "missing")]
        assert set(own["case"]) == {*gone, ""}
        assert "missing" not in set(results[results["algorithm"] == "one"]["outcome"])

    @pytest.mark.parametrize("change", [None, lambda text: text + "0,9,a,\n", lambda text: text.replace(",a,", ",x,")])
    def test_references_without_their_classes_are_an_error(self, classed, capsys, change):
        table = classed / "references/instances.csv"
        table.write_text(change(table.read_text())) if change else table.unlink()
        assert score(classed) == 2
        assert "instances.csv: " in capsys.readouterr().err


def test_without_regions_there_is_one_value_over_all_classes(cells):
    assessment = {**INSTANCES, "metrics": [{"id": "panoptic_quality"}, {"id": "mi_dsc"}]}
    del assessment["regions"]
    (cells / "assessment.json").write_text(json.dumps(assessment))
    assert score(cells) == 0
    table = read_results(cells / "r.csv")
    assert set(table["region"]) == {""}
    assert value(table, "two", "panoptic_quality") == 1.0
    with pytest.raises(ValueError, match="mean_average_precision is a mean"):
        parse({**assessment, "metrics": [{"id": "mean_average_precision"}]})


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (["panoptic_quality", ("mi_dsc", "face")], "objects are found once for all"),
        ([("panoptic_quality", "full"), "average_precision"], "no metric of scores"),
    ],
)
def test_objects_are_found_once_for_all_metrics(metrics, message):
    uses = [
        {"id": m} if isinstance(m, str) else {"id": m[0], "options": {"instance_connectivity": m[1]}} for m in metrics
    ]
    with pytest.raises(ValueError, match=message):
        parse({**INSTANCES, "metrics": uses})


class TestABadRowAmongMany:
    """733 good rows and a bad one have the value of the good ones, from a table as from a folder of a container."""

    REFERENCE = "case,class,x_min,y_min,x_max,y_max"
    BAD = {
        "zero width": "c0,a,0.9,5,5,5,9",
        "score": "c0,a,1.0001,5,5,9,9",
        "class": "c0,dog,0.9,5,5,9,9",
        "text": "c0,a,0.9,x,5,9,9",
    }

    @pytest.mark.parametrize("bad", BAD)
    def test_the_value_is_that_of_the_others_and_the_row_is_named(self, tmp_path, capsys, bad):
        rng = np.random.default_rng(7)
        boxes = [(f"c{number % 40}", *rng.integers(0, 400, 2).tolist()) for number in range(733)]
        references = [f"{case},a,{x},{y},{x + 20},{y + 20}" for case, x, y in boxes]
        predictions = [f"{case},a,{rng.random():.3f},{x + 2},{y},{x + 22},{y + 20}" for case, x, y in boxes]
        metrics = [{"id": "average_precision"}, {"id": "froc_score"}]
        assessment = {
            "schema": 1,
            "problem": "object_detection",
            "regions": [{"name": "a", "labels": ["a"]}],
            "metrics": metrics,
        }
        (tmp_path / "assessment.json").write_text(json.dumps(assessment))
        for name, rows in (("good", predictions), ("bad", [*predictions, self.BAD[bad]])):
            (tmp_path / "predictions" / name).mkdir(parents=True)
            head = "case,class,score,x_min,y_min,x_max,y_max"
            (tmp_path / "predictions" / name / "objects.csv").write_text("\n".join([head, *rows]) + "\n")
        (tmp_path / "references").mkdir()
        (tmp_path / "references" / "objects.csv").write_text("\n".join([self.REFERENCE, *references]) + "\n")
        assert score(tmp_path) == 0
        table = read_results(tmp_path / "r.csv")
        for metric in ("average_precision", "froc_score"):
            assert value(table, "bad", metric, region="a") == value(table, "good", metric, region="a") > 0.5
        assert "bad: objects.csv: 1 of 734 rows are not used; the first is case c0" in capsys.readouterr().err

    def test_scores_of_any_size_are_an_option_of_the_task(self, tmp_path):
        document = {
            "schema": 1,
            "problem": "object_detection",
            "metrics": [{"id": "average_precision"}],
            "settings": {"scores": "any"},
        }
        values = {}
        for name, scores in (("logits", (7.5, -2.0, 0.3)), ("shares", (0.9, 0.1, 0.5))):
            folder = tmp_path / name
            (folder / "predictions" / "one").mkdir(parents=True)
            (folder / "references").mkdir()
            (folder / "assessment.json").write_text(json.dumps(document))
            (folder / "references/objects.csv").write_text("case,x_min,y_min,x_max,y_max\nc,0,0,9,9\nc,20,0,29,9\n")
            rows = [f"c,{each},{x},0,{x + 9},9" for each, x in zip(scores, (0, 50, 20), strict=True)]
            (folder / "predictions/one/objects.csv").write_text(
                "case,score,x_min,y_min,x_max,y_max\n" + "\n".join(rows)
            )
            assert score(folder) == 0
            values[name] = value(read_results(folder / "r.csv"), "one", "average_precision")
        assert values["logits"] == values["shares"] == 1.0
        with pytest.raises(AssessmentError, match="fppi"):
            parse({**document, "metrics": [{"id": "fppi"}]})
