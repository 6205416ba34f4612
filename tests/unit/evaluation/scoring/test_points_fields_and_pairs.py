"""Landmarks, registration and image to image as kinds of problem: settings, policies, what the reference lacks, resampling."""

import csv
import json

import nibabel
import numpy as np
import pytest

from evaluation import problems
from evaluation.aggregation import build_tables, check_results
from evaluation.assessment import AssessmentError, parse
from evaluation.outcomes import Flag
from evaluation.readers import ReadError
from evaluation.scoring import read_results, score_folders
from evaluation.scoring.evidence import recompute_values
from evaluation.scoring.evidence_blocks import CaseEvidence
from evaluation.scoring.table import write_results

KINDS = ("landmarks", "registration", "image_to_image")


def example(name, folder, cases=4, **more):
    return parse(problems.get(name).samples.write_challenge(folder, cases=cases) | more)


def scored(assessment, folder, **predictions):
    predictions = predictions or {"near": "near", "far": "far"}
    return score_folders(
        assessment, folder / "references", {name: folder / "predictions" / own for name, own in predictions.items()}
    )


def refused(document, place, words=""):
    with pytest.raises(AssessmentError) as caught:
        parse(document)
    assert place in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", KINDS)
def test_a_document_is_the_same_when_it_is_read_again(name, tmp_path):
    assessment = example(name, tmp_path)
    assert parse(assessment.document) == assessment
    assert problems.get(name).title


@pytest.mark.parametrize("name", KINDS)
def test_leaving_out_a_case_never_pays(name, tmp_path):
    assessment = example(name, tmp_path)
    whole = tables(assessment, scored(assessment, tmp_path), tmp_path)
    for case in problems.get(name).open_references(assessment, tmp_path / "references").cases:
        folder = tmp_path / f"without-{case}"
        holed(tmp_path / "predictions/near", folder, case)
        left = score_folders(assessment, tmp_path / "references", {"near": folder, "far": tmp_path / "predictions/far"})
        for before, after in zip(whole, tables(assessment, left, tmp_path), strict=True):
            place = before.algorithms.index("near")
            first, second = before.values[:, place], after.values[:, place]
            better = second > first if before.metric.higher_is_better else second < first
            # A field that is not there cannot fold: its policy is the worst value all the same.
            assert not better.any(), (before.metric.name, case)


def tables(assessment, result, folder):
    write_results(result.rows, folder / "results.csv")
    return build_tables(assessment, check_results(read_results(folder / "results.csv").assign(task="")))


def holed(source, target, case):
    target.mkdir()
    for path in source.iterdir():
        if path.suffix == ".csv":
            lines = [line for line in path.read_text().splitlines() if not line.startswith(f"{case},")]
            (target / path.name).write_text("\n".join(lines) + "\n")
        elif not path.name.startswith(case):
            (target / path.name).write_bytes(path.read_bytes())


class TestLandmarks:
    DOCUMENT = {
        "problem": "landmarks",
        "metrics": [
            {"id": "radial_error"},
            {"id": "success_detection_rate", "name": "sdr", "options": {"radius": 5}},
            {"id": "identification_rate"},
        ],
        "settings": {"penalty": 40},
    }
    REFERENCE = "case,landmark,x,y,z\np1,A,0,0,0\np1,B,0,0,10\np1,C,0,10,0\n"
    GROUP = {"regions": [{"name": "all", "labels": ["A", "B", "C"]}]}

    def rows(self, tmp_path, prediction, reference=REFERENCE, document=None, cases=""):
        for name, text in (("references", reference), ("predictions", prediction)):
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / "landmarks.csv").write_text(text)
        if cases:
            (tmp_path / "references/cases.csv").write_text(cases)
        found = score_folders(
            parse(document or self.DOCUMENT | self.GROUP), tmp_path / "references", {"a": tmp_path / "predictions"}
        )
        return {(row.case, row.region, row.metric): row for row in found.rows}

    def test_by_hand(self, tmp_path):
        found = self.rows(tmp_path, "case,landmark,x,y,z\np1,C,0,4.4,0\np1,B,0,0,12\np1,A,0,3,4\n")
        assert found["p1", "all", "radial_error"].value == pytest.approx(4.2, rel=1e-12)
        assert found["", "all", "sdr"].value == found["", "all", "identification_rate"].value == 2 / 3

    def test_a_lost_landmark_counts_as_the_penalty(self, tmp_path):
        found = self.rows(tmp_path, "case,landmark,x,y,z\np1,B,0,0,12\np1,A,0,3,4\n")
        row = found["p1", "all", "radial_error"]
        assert (row.value, row.worst) == (pytest.approx(47 / 3), 40)
        assert found["", "all", "sdr"].value == 2 / 3

    def test_all_of_a_group_and_all_of_a_case(self, tmp_path):
        found = self.rows(
            tmp_path,
            "case,landmark,x,y,z\np1,B,0,0,12\n",
            document=self.DOCUMENT,
            reference=self.REFERENCE + "p2,A,1,1,1\n",
        )
        assert {key[1]: str(row.outcome) for key, row in found.items() if key[0] == "p1"} == {
            "A": "pred_empty",
            "B": "ok",
            "C": "pred_empty",
        }
        of_p2 = {key[1]: (str(row.outcome), row.flag) for key, row in found.items() if key[0] == "p2"}
        assert of_p2 == {
            "A": ("missing", Flag.NONE),
            "B": ("degenerate", Flag.REFERENCE),
            "C": ("degenerate", Flag.REFERENCE),
        }
        assert found["", "A", "sdr"].value == 0

    def test_pixels_become_mm_by_the_spacing_of_each_case(self, tmp_path):
        document = (
            self.DOCUMENT | self.GROUP | {"settings": {"penalty": "image_diagonal", "unit": "px", "spacing": "cases"}}
        )
        found = self.rows(
            tmp_path,
            "case,landmark,x,y\np1,A,3,4\n",
            reference="case,landmark,x,y\np1,A,0,0\n",
            document=document,
            cases="case,spacing_x,spacing_y,image_diagonal\np1,2,2,99\n",
        )
        row = found["p1", "all", "radial_error"]
        assert (row.value, row.worst) == (10, 99)
        assert [use.unit for use in parse(document).metrics] == ["mm", None, None]
        with pytest.raises(ReadError, match=r"nothing as spacing_y of the case p1; expected a number above 0"):
            self.rows(
                tmp_path,
                "",
                reference="case,landmark,x,y\np1,A,0,0\n",
                document=document,
                cases="case,spacing_x,image_diagonal\np1,2,9\n",
            )

    def test_settings(self):
        refused(
            {key: value for key, value in self.DOCUMENT.items() if key != "settings"},
            "settings.penalty",
            "no safe default",
        )
        refused(self.DOCUMENT | {"settings": {"penalty": 0}}, "settings.penalty")
        refused(self.DOCUMENT | {"settings": {"penalty": 1, "spacing": "cases"}}, "settings.spacing")
        assert parse(self.DOCUMENT | {"settings": {"penalty": 1, "unit": "px"}}).metrics[0].unit == "px"

    def test_rates_of_a_resample_are_those_of_copies_of_its_cases(self, tmp_path):
        assessment = example("landmarks", tmp_path, cases=6)
        result = scored(assessment, tmp_path, far="far")
        counts = np.array([[2, 0, 1, 0, 3, 0]])
        use = assessment.metrics[1]
        for block in (block for block in result.blocks if block.part == use.name):
            table = np.repeat(block.counts.reshape(6, 3), counts[0], axis=0)
            evidence = CaseEvidence("landmarks", block.region, block, result.shared)
            values = recompute_values(use, evidence, counts)
            assert values.numbers[0] == table[:, 0].sum() / table[:, 1].sum()

    def test_the_order_of_rows_changes_nothing(self, tmp_path):
        assessment = example("landmarks", tmp_path)
        before = scored(assessment, tmp_path).rows
        path = tmp_path / "predictions/near/landmarks.csv"
        head, *rows = path.read_text().splitlines()
        path.write_text("\n".join([head, *rows[::-1]]) + "\n")
        assert scored(assessment, tmp_path).rows == before


class TestRegistration:
    def test_the_three_conventions_give_the_same_numbers(self, tmp_path):
        assessment = example("registration", tmp_path, cases=2)
        first = [row.value for row in scored(assessment, tmp_path).rows]
        document = json.loads(json.dumps(assessment.document))
        for convention, turn, intent in (("mm_ras", [1, 1, 1], 1006), ("mm_lps", [-1, -1, 1], 1007)):
            document["settings"] = {"field": convention, "landmarks": "voxel"}
            for path in (tmp_path / "predictions").rglob("*.nii.gz"):
                image = nibabel.load(path)
                vectors = np.asarray(image.dataobj, dtype=np.float64)
                if vectors.ndim == 5:
                    vectors = vectors[:, :, :, 0] if intent == 1006 else vectors[:, :, :, 0] * [-1, -1, 1]
                else:
                    vectors = vectors @ image.affine[:3, :3].T * turn
                saved = nibabel.Nifti1Image(vectors[:, :, :, None], image.affine)
                saved.header["intent_code"] = intent
                nibabel.save(saved, path)
            found = [row.value for row in scored(parse(document), tmp_path).rows]
            assert found == pytest.approx(first, rel=1e-6, abs=1e-9)

    def test_a_field_of_nothing_leaves_the_distance_that_was_there(self, tmp_path):
        assessment = example("registration", tmp_path, cases=1)
        path = tmp_path / "predictions/near/case-00.nii.gz"
        image = nibabel.load(path)
        nibabel.save(nibabel.Nifti1Image(np.zeros(image.shape, dtype=np.float32), image.affine), path)
        rows = {row.metric: row for row in scored(assessment, tmp_path, near="near").rows}
        own = tmp_path / "references/case-00"
        points = [
            np.array(
                [
                    [float(row[axis]) for axis in "xyz"]
                    for row in csv.DictReader((own / f"{side}_landmarks.csv").read_text().splitlines())
                ]
            )
            for side in ("fixed", "moving")
        ]
        distances = np.linalg.norm((points[1] - points[0]) * [1, 1.5, 2], axis=1)
        assert rows["tre"].value == pytest.approx(distances.mean(), rel=1e-12)
        assert rows["folding_fraction"].value == rows["sdlogj"].value == 0
        assert rows["tre"].image_diagonal == pytest.approx(np.linalg.norm([20, 27, 32]))

    def test_a_region_that_the_moving_labels_lack_is_left_out_for_everyone(self, tmp_path):
        assessment = example("registration", tmp_path, cases=1, regions=[{"name": "lost", "labels": [7]}])
        (tmp_path / "predictions/near/case-00.nii.gz").unlink()
        rows = {(row.algorithm, row.metric): row for row in scored(assessment, tmp_path).rows}
        for name in ("near", "far"):
            assert (str(rows[name, "dsc"].outcome), rows[name, "dsc"].flag) == ("degenerate", Flag.REFERENCE)
        assert str(rows["near", "tre"].outcome) == "missing"

    def test_references_that_do_not_fit(self, tmp_path):
        assessment = example("registration", tmp_path, cases=1)
        own = tmp_path / "references/case-00"
        table = (own / "fixed_landmarks.csv").read_text()
        (own / "fixed_landmarks.csv").write_text(table + "far,90,0,0\n")
        with pytest.raises(ReadError, match="the landmark far stands in one of both tables only"):
            scored(assessment, tmp_path)
        (own / "moving_landmarks.csv").write_text((own / "moving_landmarks.csv").read_text() + "far,90,0,0\n")
        with pytest.raises(ReadError, match="1 landmarks lie outside the fixed image of 20 × 18 × 16 voxels"):
            scored(assessment, tmp_path)
        (own / "fixed_landmarks.csv").write_text(table)
        (own / "moving_landmarks.csv").unlink()
        with pytest.raises(ReadError, match="metrics of landmarks need it"):
            scored(assessment, tmp_path)

    def test_a_moving_image_on_another_grid_needs_mm(self, tmp_path):
        assessment = example("registration", tmp_path, cases=1)
        labels = nibabel.Nifti1Image(np.ones((20, 18, 15), dtype=np.uint8), np.eye(4))
        nibabel.save(labels, tmp_path / "references/case-00/moving_labels.nii.gz")
        with pytest.raises(ReadError, match="20 × 18 × 15 voxels; expected 20 × 18 × 16 as the fixed one"):
            scored(assessment, tmp_path)

    def test_settings(self):
        document = {"problem": "registration", "metrics": [{"id": "sdlogj"}]}
        refused(document, "settings.field", "never guessed")
        assert parse(document | {"settings": {"field": "mm_lps"}}).settings["landmarks"] == "mm_ras"
        assert parse(document | {"settings": {"field": "voxel"}}).settings["landmarks"] == "voxel"
        refused(document | {"metrics": [{"id": "dsc"}], "settings": {"field": "voxel"}}, "regions", "dsc")
        for name in ("nsd", "assd", "hausdorff_percentile", "fbeta"):
            use = {"id": name, "options": {"tolerance": 1}} if name == "nsd" else {"id": name}
            regions = [{"name": "a", "labels": [1]}]
            [metric] = parse(document | {"metrics": [use], "settings": {"field": "voxel"}, "regions": regions}).metrics
            assert metric.level == "case"


class TestImageToImage:
    DOCUMENT = {"problem": "image_to_image", "metrics": [{"id": "image_mae"}]}

    def test_the_data_range_is_asked_for_where_something_needs_it(self):
        for metric in ({"id": "psnr"}, {"id": "ssim"}, {"id": "nmse", "options": {"clip": True}}):
            refused(self.DOCUMENT | {"metrics": [metric]}, "settings.data_range", "never taken from a number type")
        refused(self.DOCUMENT, "metrics[0].policy.missing", "a number")
        assert parse(self.DOCUMENT | {"metrics": [{"id": "ncc"}, {"id": "nmse"}]}).settings == {"data_range": None}
        for given in ([-1024, 3071], 255, "reference"):
            parse(self.DOCUMENT | {"settings": {"data_range": given}})
        for given in ([3, 1], [1], [1, 2, 3], -5, "dtype", [0, float("nan")]):
            refused(self.DOCUMENT | {"settings": {"data_range": given}}, "settings.data_range")

    def test_windows_have_a_centre(self):
        metrics = [{"id": "ssim", "options": {"size": 8}}]
        refused(self.DOCUMENT | {"metrics": metrics, "settings": {"data_range": 1}}, "metrics[0].options.size", "odd")

    def test_the_worst_error_is_the_width_of_the_range(self, tmp_path):
        assessment = example("image_to_image", tmp_path, cases=1)
        (tmp_path / "predictions/near/case-00.png").unlink()
        rows = {(row.algorithm, row.metric): row for row in scored(assessment, tmp_path).rows}
        assert rows["near", "image_mae"].worst == rows["far", "image_mae"].worst == 255
        [mae, *_] = tables(assessment, scored(assessment, tmp_path), tmp_path)
        assert mae.values[0, mae.algorithms.index("near")] == 255

    def test_an_equal_image_is_ranked_best(self, tmp_path):
        assessment = example("image_to_image", tmp_path, cases=1)
        source = tmp_path / "references/case-00.png"
        (tmp_path / "predictions/near/case-00.png").write_bytes(source.read_bytes())
        rows = {(row.algorithm, row.metric): row for row in scored(assessment, tmp_path).rows}
        assert (str(rows["near", "psnr"].outcome), rows["near", "psnr"].flag) == ("degenerate", Flag.UNBOUNDED)
        assert rows["near", "ssim"].value == 1

    def test_a_mask_without_the_region_leaves_the_case_out_for_everyone(self, tmp_path):
        assessment = example("image_to_image", tmp_path, cases=1, regions=[{"name": "tumour", "labels": [5]}])
        (tmp_path / "predictions/near/case-00.png").unlink()
        for row in scored(assessment, tmp_path).rows:
            assert (str(row.outcome), row.flag) == ("degenerate", Flag.REFERENCE)

    def test_without_regions_the_whole_image_counts(self, tmp_path):
        assessment = example("image_to_image", tmp_path, cases=1, regions=[])
        rows = scored(assessment, tmp_path, near="near").rows
        assert {row.region for row in rows} == {""}
