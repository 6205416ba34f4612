"""Tables of objects and of instances, and COCO documents: the parts that are read, and messages about others."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.matching import Objects
from evaluation.readers import ReadError
from evaluation.readers.instance_tables import Instance, InstanceRules, read_instances
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.readers.object_tables import ResultIds, RowRules, numbered, read_objects


class TestTables:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("class,x,y\n", "no column case"),
            ("case,class\nc,a\n", "neither boxes nor points"),
            ("case,class,x_min,y_min,x_max,y_max\nc,a,0,0,0,1\n", "a box without extent in row 2"),
            ("case,class,x_min,y_min,x_max,y_max\nc,a,0,0,nan,1\n", "'nan' as x_max in row 2"),
            ("case,class,score,x,y\nc,a,1.5,0,0\n", "'1.5' as score in row 2"),
            ("case,class,score,x,y\n,a,1,0,0\n", "nothing as case in row 2"),
        ],
    )
    def test_what_is_wrong_is_said(self, tmp_path, text, message):
        (tmp_path / "objects.csv").write_text(text)
        with pytest.raises(ReadError) as caught:
            read_objects(tmp_path / "objects.csv", scored=True)
        assert message in str(caught.value)

    def test_a_row_that_cannot_be_read_costs_only_itself_where_that_is_asked_for(self, tmp_path):
        rows = [
            "case,class,score,x_min,y_min,x_max,y_max",
            "a,c,0.5,0,0,1,1",
            "b,c,1.0001,0,0,1,1",
            "b,c,1,0,0,2,1",
            "b,dog,1,0,0,1,1",
            "c,c,1,1,1,1,2",
        ]
        (tmp_path / "objects.csv").write_text("\n".join(rows))
        table = read_objects(tmp_path / "objects.csv", scored=True, rules=RowRules(("c",)))
        assert {case: len(objects) for case, objects in table.objects.items()} == {"a": 1, "b": 1}
        assert table.cases == ["a", "b", "c"]
        assert [issue.message for issue in table.dropped["b"]] == [
            "objects.csv: case b: '1.0001' as score in row 3; expected a number from 0 to 1",
            "objects.csv: case b: the class 'dog' in row 5; expected one of c",
        ]
        assert "case c: a box without extent in row 6" in table.dropped["c"][0].message

    def test_a_table_without_any_valid_row_is_refused(self, tmp_path):
        (tmp_path / "objects.csv").write_text("case,class,score,x,y\na,c,90,1,2\na,c,80,3,4\n")
        with pytest.raises(ReadError, match="'90' as score in row 2"):
            read_objects(tmp_path / "objects.csv", scored=True, rules=RowRules())
        table = read_objects(tmp_path / "objects.csv", scored=True, rules=RowRules(any_score=True))
        assert table.of("a").scores.tolist() == [90, 80]

    def test_a_bad_object_of_a_coco_file_costs_only_itself(self, tmp_path):
        good = {"image_id": 1, "category_id": 7, "bbox": [1, 2, 3, 4], "score": 0.5}
        bad = [
            {"bbox": [1, 2, 0, 4]},
            {"score": 1.0001},
            {"category_id": 99},
            {"image_id": 5},
            {"bbox": ["x", 1, 1, 1]},
            {"score": None},
        ]
        ids = ResultIds({1: "a"}, {7: "cell"})
        (tmp_path / "objects.json").write_text(json.dumps([good, *({**good, **each} for each in bad)]))
        table = read_objects(tmp_path / "objects.json", scored=True, ids=ids, rules=RowRules(("cell",)))
        assert table.of("a").boxes.tolist() == [[1, 2, 4, 6]]
        messages = [issue.message for issues in table.dropped.values() for issue in issues]
        assert len(messages) == len(bad)
        for part in (
            "the box [1, 2, 0, 4]",
            "the score 1.0001",
            "category_id 99",
            "image_id 5",
            "object 6 is not",
            "no score of object 7",
        ):
            assert any(part in message for message in messages), part

    def test_points_and_ignored_regions(self, tmp_path):
        (tmp_path / "objects.csv").write_text("case,class,x,y,ignore\nc,a,1,2,0\nc,a,3,4,1\n")
        objects = read_objects(tmp_path / "objects.csv", scored=False).of("c")
        assert objects.centres.tolist() == [[1, 2], [3, 4]]
        assert objects.ignored.tolist() == [False, True]


ASKED = InstanceRules(classes=("a", "b"), need_class=True, need_scores=("ap",))


class TestInstanceTables:
    @pytest.mark.parametrize(
        ("rules", "purpose"),
        [
            (ASKED, "the class of each object and the score of each object, which ap need"),
            (replace(ASKED, need_scores=()), "the class of each object"),
            (
                replace(ASKED, need_class=False, need_scores=("ap", "froc")),
                "the score of each object, which ap, froc need",
            ),
        ],
    )
    def test_what_the_table_is_needed_for_is_said(self, rules, purpose):
        assert rules.needed
        assert rules.purpose == purpose

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ("c,1,a,1\nc,1,b,1\n", "case c: the instance 1 in row 4; expected each whole number once a case"),
            ("c,1.5,a,1\n", "case c: the instance 1.5 in row 3"),
            ("c,0,a,1\n", "case c: '0' as instance in row 3; expected a number from 1"),
            ("c,9999999999,a,1\n", "case c: the instance 9999999999 in row 3"),
            ("c,1,cat,1\n", "case c: 'cat' as class in row 3; expected one of a, b"),
            ("c,1,,1\n", "case c: '' as class in row 3"),
            ("c,1,a,2\n", "case c: '2' as score in row 3; expected a number from 0 to 1"),
            ("c,1,a,nan\n", "case c: 'nan' as score in row 3"),
            ("d,1,a,1\nc,1,a,\n", "case c: '' as score in row 4"),
        ],
    )
    def test_a_row_that_cannot_be_taken_names_case_value_and_what_is_taken(self, tmp_path, rows, message):
        (tmp_path / "instances.csv").write_text("case,instance,class,score\nok,1,a,0.5\n" + rows)
        table = read_instances(tmp_path / "instances.csv", ASKED, by_row=True)
        assert message in table.dropped["c"][-1].message
        assert table.of("ok") == {1: Instance("a", 0.5)}
        assert "c" not in table.instances
        with pytest.raises(ReadError):
            read_instances(tmp_path / "instances.csv", ASKED)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("case,instance,score\nc,1,1\n", "no column class; expected one of a, b"),
            ("case,instance,class\nc,1,a\n", "no scores, which ap need"),
            ("case,class,score\nc,a,1\n", "no column instance"),
            ("case,instance,class,score\n,1,a,1\n", "nothing as case in row 2"),
        ],
    )
    def test_a_table_that_lacks_what_the_task_needs_is_refused_as_a_whole(self, tmp_path, text, message):
        (tmp_path / "instances.csv").write_text(text)
        with pytest.raises(ReadError, match=message):
            read_instances(tmp_path / "instances.csv", ASKED, by_row=True)


CELL = st.sampled_from(["c", "d", "", "1", "2", "-1", "1.5", "nan", "1e400", "a", "x", '"', "\u0660", "9" * 40, "0.5"])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["case,instance,class,score\n", "case,instance\n", "instance,case,ignore\n", ""]),
    st.lists(st.lists(CELL, min_size=1, max_size=5), max_size=5),
    st.binary(max_size=12),
)
def test_any_table_of_instances_gives_rows_reasons_or_one_error(tmp_path_factory, head, rows, tail):
    path = tmp_path_factory.getbasetemp() / "instances.csv"
    path.write_bytes(head.encode() + "\n".join(",".join(row) for row in rows).encode() + tail)
    for scored in (True, False):
        try:
            table = read_instances(path, ASKED, scored=scored, by_row=True)
        except ReadError:
            continue
        assert all(label >= 1 for of_case in table.instances.values() for label in of_case)
        assert all(table.dropped.values())


COCO = {
    "images": [{"id": 1, "file_name": "folder/a.png"}, {"id": 2, "file_name": "b.png"}],
    "categories": [{"id": 7, "name": "cell"}],
    "annotations": [{"image_id": 1, "category_id": 7, "bbox": [1, 2, 3, 4], "iscrowd": 0}],
}


class TestCoco:
    def write(self, folder, document):
        (folder / "objects.json").write_text(json.dumps(document))
        return folder / "objects.json"

    def test_images_without_objects_are_cases_too(self, tmp_path):
        table = read_objects(self.write(tmp_path, COCO), scored=False)
        assert table.cases == ["a", "b"]
        assert table.of("a").boxes.tolist() == [[1, 2, 4, 6]]
        assert isinstance(table.of("b"), Objects)
        assert len(table.of("b")) == 0

    def test_a_list_of_results_refers_to_the_images_of_the_reference(self, tmp_path):
        known = read_objects(self.write(tmp_path, COCO), scored=False)
        ids = ResultIds(known.image_names, known.category_names)
        results = [{"image_id": 2, "category_id": 7, "bbox": [0, 0, 1, 1], "score": 0.5}]
        table = read_objects(self.write(tmp_path, results), scored=True, ids=ids)
        assert table.of("b").scores.tolist() == [0.5]

    @pytest.mark.parametrize(
        ("image", "category", "case", "name"),
        [
            ("a", 3, "a", "cell"),
            ("a.nii.gz", "cell", "a", "cell"),
            ("images/a.png", 0, "a", "cell"),
            ("007", 1, "007", "cell"),
            ("007.png", 1, "007", "cell"),
        ],
    )
    def test_without_ids_a_list_names_its_images(self, tmp_path, image, category, case, name):
        path = self.write(tmp_path, [{"image_id": image, "category_id": category, "bbox": [0, 0, 1, 1]}])
        table = read_objects(path, scored=True, ids=ResultIds.of_names(["007", "a"], [name]), rules=RowRules((name,)))
        assert table.of(case).classes.tolist() == [name]
        assert table.cases == ["007", "a"]

    @pytest.mark.parametrize(("image", "case"), [(7, "007"), ("007", "007"), (8, "a")])
    def test_numbers_mean_cases_only_if_their_names_are_numbers(self, tmp_path, image, case):
        path = self.write(tmp_path, [{"image_id": image, "category_id": 1, "bbox": [0, 0, 1, 1]}])
        cases = ["007", "8", "a"]
        with pytest.raises(ReadError, match="0 of 1 image ids") if image != "007" else nullcontext():
            read_objects(path, scored=True, ids=ResultIds.of_names(cases, ["cell"]), rules=RowRules(("cell",)))
        ids = ResultIds.of_ids([*numbered(["007"]), ("a", "a"), (8, "a")], [("cell", "cell")], ["cell"])
        table = read_objects(path, scored=True, ids=ids, rules=RowRules(("cell",)))
        assert table.of(case).classes.tolist() == ["cell"]

    @pytest.mark.parametrize("key", ["bbox", "score", "image_id", "category_id"])
    def test_a_number_beyond_doubles_costs_its_row(self, tmp_path, key):
        good = {"image_id": 1, "category_id": 7, "bbox": [0, 0, 1, 1], "score": 0.5}
        huge = 10**400
        path = self.write(tmp_path, [good, {**good, key: [huge, 0, 1, 1] if key == "bbox" else huge}])
        table = read_objects(path, scored=True, ids=ResultIds({1: "a"}, {7: "cell"}), rules=RowRules(("cell",)))
        assert len(table.of("a")) == 1
        assert sum(map(len, table.dropped.values())) == 1

    @pytest.mark.parametrize(
        ("classes", "entries", "words"),
        [
            (["cell"], [{"image_id": 5}, {"image_id": 6}], "0 of 2 image ids are those of the task; the first is 5"),
            (["cell"], [{"image_id": "a"}, {"image_id": "a", "category_id": 2}], "2 category ids without names"),
            (["cell", "node"], [{"image_id": "a"}], "the category_id 1 of object 1"),
            # Two names with the same number: neither is meant.
            (["cell"], [{"image_id": 7}], "0 of 1 image ids are those of the task"),
        ],
    )
    def test_a_list_whose_ids_are_unknown_is_refused(self, tmp_path, classes, entries, words):
        path = self.write(tmp_path, [{"category_id": 1, "bbox": [0, 0, 1, 1], **entry} for entry in entries])
        ids = ResultIds.of_names(["007", "07", "a"], classes)
        with pytest.raises(ReadError, match=words):
            read_objects(path, scored=True, ids=ids, rules=RowRules(tuple(classes)))

    @pytest.mark.parametrize(
        ("document", "words"),
        [
            ({}, r"no 'images'"),
            ([], "a list of results without images"),
            (7, "not as COCO writes it"),
            ({**COCO, "annotations": [{}]}, r"no 'bbox'"),
            ({**COCO, "annotations": [{**COCO["annotations"][0], "image_id": 3}]}, r"\(no 3\)"),
            ({**COCO, "annotations": [{**COCO["annotations"][0], "bbox": [1, 2, 0, 4]}]}, r"the box \[1, 2, 0, 4\]"),
            ({**COCO, "annotations": [{**COCO["annotations"][0], "bbox": [1, 2, 3, -1]}]}, r"the box \[1, 2, 3, -1\]"),
            ({**COCO, "annotations": [{**COCO["annotations"][0], "bbox": "box"}]}, "not as COCO writes it"),
            (
                {**COCO, "annotations": [{**COCO["annotations"][0], "score": 2}]},
                "the score 2; expected a number from 0",
            ),
            ({**COCO, "images": [{"id": 1}]}, "no 'file_name'"),
        ],
    )
    def test_anything_else_is_one_clear_error(self, tmp_path, document, words):
        with pytest.raises(ReadError, match=words) as caught:
            read_objects(self.write(tmp_path, document), scored=False)
        assert caught.value.kind == "table"

    @pytest.mark.parametrize("score", [0, 1, 0.25])
    def test_scores_from_0_to_1_and_crowds_are_kept(self, tmp_path, score):
        crowd = {**COCO["annotations"][0], "score": score, "iscrowd": 1, "bbox": [0, 0, 0.5, 0.5]}
        table = read_objects(self.write(tmp_path, {**COCO, "annotations": [crowd]}), scored=True)
        assert table.of("a").scores.tolist() == [score]
        assert table.of("a").ignored.tolist() == [True]
        assert table.of("a").boxes.tolist() == [[0, 0, 0.5, 0.5]]
        assert table.of("a").classes.tolist() == ["cell"]

    def test_the_case_may_be_named_in_place_of_the_file(self, tmp_path):
        images = [{"id": 1, "file_name": "x.png", "case": "seven"}, {"id": 2, "file_name": "deep/b.tif.png"}]
        assert read_objects(self.write(tmp_path, {**COCO, "images": images}), scored=False).cases == ["seven", "b.tif"]

    def test_sizes_up_to_the_limit(self, tmp_path):
        path = self.write(tmp_path, COCO)
        size = path.stat().st_size
        for limits in (Limits(table_bytes=size), Limits(table_rows=1)):
            assert read_objects(path, scored=False, limits=limits).cases == ["a", "b"]
        for limits in (Limits(table_bytes=size - 1), Limits(table_rows=0)):
            with pytest.raises(ReadError) as caught:
                read_objects(path, scored=False, limits=limits)
            assert caught.value.kind == "too_large"


def test_what_helps_with_a_table_is_told_for_a_table(tmp_path):
    path = tmp_path / "objects.csv"
    path.write_text("")
    with pytest.raises(ReadError) as empty:
        read_objects(path, scored=False)
    assert empty.value.expected == "the columns case"
    path.write_text("case,class,x,y\n" + "a,cell,1,1\n" * 20)
    with pytest.raises(ReadError) as long:
        read_objects(path, scored=False, limits=replace(DEFAULT, table_rows=10))
    assert (long.value.kind, long.value.remedy) == ("too_large", "Send only the rows and columns that are asked for.")
    assert "grid" in ReadError("too_large", "case.nii.gz", "9 bytes").remedy
