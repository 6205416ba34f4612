"""Boxes and points as CSV or COCO JSON, cell by cell: axes, scores, ignored regions, and error messages."""

import json
import pickle

import numpy as np
import pytest

from evaluation.problems.object_detection import ObjectPredictions
from evaluation.readers import ReadError
from evaluation.readers.limits import Limits
from evaluation.readers.object_tables import ObjectTable, ResultIds, RowRules, read_objects

BOXES = "case,class,x_min,y_min,x_max,y_max"


def read(folder, text, *, scored=True, **more):
    (folder / "objects.csv").write_text(text)
    return read_objects(folder / "objects.csv", scored=scored, **more)


def refused(read_it, *arguments, **options):
    with pytest.raises(ReadError) as error:
        read_it(*arguments, **options)
    return error.value.kind, error.value.found, error.value.expected


class TestPlaces:
    def test_boxes_of_a_plane_or_of_space(self, tmp_path):
        plane = read(tmp_path, BOXES + "\nc,a,1,2,3,5\n")
        assert (plane.kind, plane.of("c").boxes.tolist()) == (("boxes", 2), [[1, 2, 3, 5]])
        space = read(tmp_path, BOXES + ",z_min,z_max\nc,a,1,2,3,5,7,9\n")
        assert (space.kind, space.of("c").boxes.tolist()) == (("boxes", 3), [[1, 2, 7, 3, 5, 9]])

    @pytest.mark.parametrize("column", ["z_min", "z_max", "z"])
    def test_a_single_column_of_the_third_axis_makes_no_space_of_it(self, tmp_path, column):
        table = read(tmp_path, f"{BOXES},{column}\nc,a,1,2,3,5,7\n")
        assert (table.kind, table.of("c").boxes.tolist()) == (("boxes", 2), [[1, 2, 3, 5]])

    def test_points_of_a_plane_or_of_space(self, tmp_path):
        plane = read(tmp_path, "case,class,x,y\nc,a,1,2\n")
        assert (plane.kind, plane.of("c").centres.tolist()) == (("points", 2), [[1, 2]])
        space = read(tmp_path, "z,y,x,class,case\n3,2,1,a,c\n")
        assert (space.kind, space.of("c").centres.tolist()) == (("points", 3), [[1, 2, 3]])

    def test_boxes_come_before_points(self, tmp_path):
        assert read(tmp_path, BOXES + ",x,y\nc,a,1,2,3,5,0,0\n").kind == ("boxes", 2)

    @pytest.mark.parametrize("lacking", ["x_min", "y_min", "x_max", "y_max"])
    def test_a_box_needs_both_ends_of_both_axes(self, tmp_path, lacking):
        refusal = refused(read, tmp_path, BOXES.replace(lacking, "other") + "\nc,a,1,2,3,5\n")
        assert refusal == ("table", "neither boxes nor points", "x_min, y_min, x_max, y_max or x, y")

    @pytest.mark.parametrize("axis", ["x", "y"])
    def test_a_point_needs_both_axes(self, tmp_path, axis):
        assert refused(read, tmp_path, f"case,class,{axis}\nc,a,1\n")[1] == "neither boxes nor points"

    @pytest.mark.parametrize(
        ("cells", "fits"),
        [("0,0,0.001,0.001", True), ("-2,-2,-1,-1", True), ("0,0,0,1", False), ("0,0,1,0", False), ("1,0,0,1", False)],
    )
    def test_a_box_has_an_extent_along_each_axis(self, tmp_path, cells, fits):
        text = f"{BOXES}\nc,a,0,0,1,1\nd,a,{cells}\n"
        if fits:
            assert len(read(tmp_path, text).of("d")) == 1
            return
        assert refused(read, tmp_path, text) == (
            "table",
            "a box without extent in row 3",
            "x_min < x_max, y_min < y_max",
        )
        table = read(tmp_path, text, rules=RowRules())
        assert (list(table.objects), list(table.dropped)) == (["c"], ["d"])

    def test_the_extent_along_the_third_axis_counts_too(self, tmp_path):
        text = BOXES + ",z_min,z_max\nc,a,0,0,1,1,2,2\n"
        assert refused(read, tmp_path, text)[1] == "a box without extent in row 2"


class TestFurtherColumns:
    @pytest.mark.parametrize(("score", "fits"), [("0", True), ("1", True), ("-0.01", False), ("1.01", False)])
    def test_scores_of_predictions_lie_from_0_to_1(self, tmp_path, score, fits):
        text = f"case,class,score,x,y\nc,a,{score},0,0\n"
        if fits:
            assert read(tmp_path, text).of("c").scores.tolist() == [float(score)]
        else:
            assert refused(read, tmp_path, text) == ("table", f"{score!r} as score in row 2", "a number from 0 to 1")
        assert read(tmp_path, text, scored=False).of("c").scores is None

    def test_without_a_column_there_are_no_scores(self, tmp_path):
        assert read(tmp_path, "case,class,x,y\nc,a,0,0\n").of("c").scores is None

    @pytest.mark.parametrize(("mark", "fits"), [("0", True), ("1", True), ("0.5", True), ("-1", False), ("2", False)])
    def test_a_region_of_a_reference_is_ignored_if_its_mark_is_more_than_0(self, tmp_path, mark, fits):
        text = f"case,class,ignore,x,y\nc,a,{mark},0,0\n"
        if fits:
            assert read(tmp_path, text, scored=False).of("c").ignored.tolist() == [float(mark) > 0]
        else:
            refusal = refused(read, tmp_path, text, scored=False)
            assert refusal == ("table", f"{mark!r} as ignore in row 2", "a number from 0 to 1")
        assert not read(tmp_path, text, scored=True).of("c").ignored.any()

    def test_objects_of_a_case_keep_their_order_wherever_their_rows_stand(self, tmp_path):
        text = "case,class,score,x,y\nc,a,0.1,1,2\nd,b,0.2,3,4\nc,b,0.3,5,6\n"
        table = read(tmp_path, text)
        assert table.cases == ["c", "d"]
        assert table.of("c").centres.tolist() == [[1, 2], [5, 6]]
        assert (table.of("c").classes.tolist(), table.of("c").scores.tolist()) == (["a", "b"], [0.1, 0.3])
        assert (table.of("d").classes.tolist(), table.of("d").scores.tolist()) == (["b"], [0.2])

    def test_of_several_wrong_rows_of_a_case_all_are_told(self, tmp_path):
        text = BOXES + ",score\nc,a,0,0,1,1,0.5\nd,a,0,0,0,1,0.5\nd,a,odd,0,1,1,2\ne,a,0,0,1,high,7\n"
        table = read(tmp_path, text, rules=RowRules())
        assert {case: [issue.message for issue in issues] for case, issues in table.dropped.items()} == {
            "d": [
                "objects.csv: case d: a box without extent in row 3; expected x_min < x_max, y_min < y_max",
                "objects.csv: case d: 'odd' as x_min in row 4; expected a number",
            ],
            "e": ["objects.csv: case e: 'high' as y_max in row 5; expected a number"],
        }
        assert (list(table.objects), table.cases) == (["c"], ["c", "d", "e"])


class TestCasesWithoutObjects:
    def test_they_have_none_of_the_kind_of_the_others(self, tmp_path):
        table = read(tmp_path, "case,class,score,x,y,z\nc,a,0.5,1,2,3\n")
        none = table.of("other")
        assert (len(none), none.centres.shape, none.scores.tolist()) == (0, (0, 3), [])

    @pytest.mark.parametrize(
        ("head", "kind", "shape"),
        [
            (BOXES, ("boxes", 2), (0, 4)),
            (BOXES + ",z_min,z_max", ("boxes", 3), (0, 6)),
            ("case,class,x,y", ("points", 2), (0, 2)),
            ("case,class,x,y,z", ("points", 3), (0, 3)),
        ],
    )
    def test_of_an_empty_table_its_columns_tell_the_kind(self, tmp_path, head, kind, shape):
        table = read(tmp_path, head + "\n")
        assert (table.kind, table.cases, table.objects) == (kind, [], {})
        none = table.of("c")
        places = none.boxes if kind[0] == "boxes" else none.centres
        assert (places.shape, len(none.classes), none.scores.tolist()) == (shape, 0, [])

    def test_without_a_table_they_are_boxes_of_a_plane(self):
        assert ObjectTable({}, []).of("c").boxes.shape == (0, 4)


IMAGES = [{"id": 1, "file_name": "a.png"}, {"id": 2, "file_name": "b.png"}]
CATEGORIES = [{"id": 7, "name": "cell"}, {"id": 8, "name": 9}]
BOX = {"image_id": 1, "category_id": 7, "bbox": [1, 2, 3, 4]}


class TestCoco:
    def read(self, folder, *entries, scored=True, **more):
        document = {"images": IMAGES, "categories": CATEGORIES, "annotations": list(entries)}
        (folder / "objects.JSON").write_text(json.dumps(document))
        return read_objects(folder / "objects.JSON", scored=scored, **more)

    def refused(self, *arguments, **options):
        return refused(self.read, *arguments, **options)

    def test_a_corner_and_an_extent_make_a_box(self, tmp_path):
        table = self.read(tmp_path, BOX, {**BOX, "image_id": 2, "category_id": 8, "bbox": [-1.5, 0, 0.5, 1]}, BOX)
        assert table.of("a").boxes.tolist() == [[1, 2, 4, 6], [1, 2, 4, 6]]
        assert (table.of("b").boxes.tolist(), table.of("b").classes.tolist()) == ([[-1.5, 0, -1, 1]], ["9"])
        assert (table.image_names, table.category_names) == ({1: "a", 2: "b"}, {7: "cell", 8: "9"})
        assert (table.kind, table.cases) == (("boxes", 2), ["a", "b"])

    def test_scores_are_there_if_every_object_of_a_case_has_one(self, tmp_path):
        table = self.read(tmp_path, {**BOX, "score": 0.5}, BOX, {**BOX, "image_id": 2, "score": 0.25})
        assert (table.of("a").scores, table.of("b").scores.tolist()) == (None, [0.25])

    @pytest.mark.parametrize(("mark", "ignored"), [({}, False), ({"iscrowd": 0}, False), ({"iscrowd": 1}, True)])
    def test_a_crowd_is_ignored(self, tmp_path, mark, ignored):
        assert self.read(tmp_path, {**BOX, **mark}).of("a").ignored.tolist() == [ignored]

    @pytest.mark.parametrize("score", [-0.5, -0.01, 1.01, 2])
    def test_scores_beyond_0_and_1_are_refused(self, tmp_path, score):
        refusal = self.refused(tmp_path, {**BOX, "score": score})
        assert refusal == ("table", f"the score {score}", "a number from 0 to 1")

    @pytest.mark.parametrize(
        "box", [[1, 2, 0, 4], [1, 2, 3, 0], [1, 2, -1, 4], [float("nan"), 2, 3, 4], [1, 2, float("inf"), 4]]
    )
    def test_a_box_is_four_finite_numbers_with_an_extent(self, tmp_path, box):
        refusal = self.refused(tmp_path, {**BOX, "bbox": box})
        assert refusal == ("table", f"the box {box}", "four finite numbers with a positive extent")
        assert len(self.read(tmp_path, {**BOX, "bbox": [0, 0, 1e-3, 1e-3]}).of("a")) == 1

    def test_a_list_without_names_of_images_is_refused(self, tmp_path):
        (tmp_path / "objects.json").write_text("[]")
        for ids in (None, ResultIds({}, {})):
            refusal = refused(read_objects, tmp_path / "objects.json", scored=True, ids=ids)
            assert refusal[1] == "a list of results without images"
        ids = ResultIds({1: "a"}, {7: "cell"})
        (tmp_path / "objects.json").write_text(json.dumps([BOX]))
        table = read_objects(tmp_path / "objects.json", scored=True, ids=ids)
        assert (table.cases, table.of("a").classes.tolist()) == (["a"], ["cell"])

    def test_what_is_no_json_is_told_up_to_a_length(self, tmp_path):
        assert self.refused(tmp_path, {**BOX, "bbox": ["x" * 200, 1, 1, 1]}) == (
            "table",
            "not as COCO writes it (" + ("could not convert string to float: " + repr("x" * 200))[:100] + ")",
            "images, annotations and categories",
        )

    def test_a_file_that_is_not_there_or_too_large(self, tmp_path):
        refusal = refused(read_objects, tmp_path / "absent.json", scored=True)
        assert refusal == ("not_found", "there is no such file", "")
        path = tmp_path / "objects.json"
        path.write_text("[]" + " " * 1998)
        refusal = refused(read_objects, path, scored=True, limits=Limits(table_bytes=1999))
        assert refusal == ("too_large", "2,000 bytes", "at most 1,999")
        refusal = self.refused(tmp_path, *[BOX] * 1001, limits=Limits(table_rows=1000))
        assert refusal == ("too_large", "1,001 objects", "at most 1,000")
        assert np.shape(self.read(tmp_path, *[BOX] * 1001, limits=Limits(table_rows=1001)).of("a").boxes) == (1001, 4)


class TestRowsAndValues:
    @pytest.mark.parametrize(
        ("row", "value"),
        [("c,a,x1,2,3,5,0.5", "x1"), ("c,dog,1,2,3,5,0.5", "dog"), ("c,a,3,2,3,5,0.5", ""), ("c,a,1,2,3,5,2", "2")],
    )
    def test_an_unused_row_has_its_number_and_the_cell_that_is_wrong(self, tmp_path, row, value):
        text = f"{BOXES},score\nc,a,1,2,3,5,0.5\n{row}\n"
        table = read(tmp_path, text, rules=RowRules(("a", "b")))
        [issue] = table.dropped["c"]
        assert (issue.row, issue.cell) == (3, value)
        assert "case c: " in issue.message

    def test_the_finding_names_the_first_unused_row(self, tmp_path):
        text = f"{BOXES},score\nc,a,1,2,3,5,0.5\nc,dog,1,2,3,5,0.5\nc,cow,1,2,3,5,0.5\n"
        predictions = ObjectPredictions(read(tmp_path, text, rules=RowRules(("a", "b"))), "objects.csv")
        [finding] = predictions.findings("objects.csv")
        assert (finding.id, finding.file, finding.row, finding.value) == ("rows_not_used", "objects.csv", 3, "dog")

    def test_an_error_keeps_row_and_value_when_it_is_copied(self):
        error = ReadError("table", "t.csv", "odd in row 4", "even", row=4, cell="v" * 50)
        copied = pickle.loads(pickle.dumps(error))  # what a worker process sends is the test's own
        assert copied.issue == error.issue
        assert (copied.row, copied.cell) == (4, "v" * 40)
