"""Tables of instances, cell by cell: labels, classes, scores, ignored regions, and error messages."""

from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.readers import ReadError
from evaluation.readers.instance_tables import (
    Instance,
    InstanceRules,
    InstanceTable,
    check_instances,
    read_instances,
    rows_and_objects,
)
from evaluation.readers.limits import Limits

LETTERS = tuple("abcdefghijklmn")


def read(folder, text, rules=None, **more):
    (folder / "instances.csv").write_text(text)
    return read_instances(folder / "instances.csv", rules or InstanceRules(("a", "b")), **more)


def refused(read_it, *arguments, **options):
    with pytest.raises(ReadError) as error:
        read_it(*arguments, **options)
    return error.value.kind, error.value.found, error.value.expected


def test_a_task_that_says_nothing_asks_for_nothing():
    rules = InstanceRules(None)
    assert (rules.need_class, rules.need_scores, rules.needed, rules.purpose) == (False, (), False, "")
    assert Instance("a") == Instance("a", None, False)


def test_cases_of_a_table_are_those_with_rows_and_those_that_cannot_be_taken():
    table = InstanceTable({"x": {}, "y": {}}, {"z": [], "x": []})
    assert (table.cases, table.of("x"), table.of("z")) == (["x", "y", "z"], {}, {})


class TestLabels:
    @pytest.mark.parametrize("label", ["1", "9", "3.0", "1e0"])
    def test_whole_numbers_from_1_to_the_limit_are_labels(self, tmp_path, label):
        table = read(tmp_path, f"case,instance\nc,{label}\n", limits=Limits(label=9))
        assert table.instances == {"c": {int(float(label)): Instance("")}}

    @pytest.mark.parametrize(
        ("label", "words", "wanted"),
        [
            ("0", "'0' as instance in row 3", "a number from 1"),
            ("0.5", "'0.5' as instance in row 3", "a number from 1"),
            ("-1", "'-1' as instance in row 3", "a number from 1"),
            ("1.5", "the instance 1.5 in row 3", "each whole number once a case"),
            ("10", "the instance 10 in row 3", "each whole number once a case"),
            ("2", "the instance 2 in row 3", "each whole number once a case"),
            ("1.23456789012345", "the instance 1.23456789012 in row 3", "each whole number once a case"),
        ],
    )
    def test_others_and_a_second_row_are_refused(self, tmp_path, label, words, wanted):
        text = f"case,instance\nc,2\nc,{label}\n"
        assert refused(read, tmp_path, text, limits=Limits(label=9)) == ("table", words, wanted)
        table = read(tmp_path, "case,instance\nd,2\n" + text.partition("\n")[2], by_row=True, limits=Limits(label=9))
        assert ([sorted(table.of(case)) for case in "cd"], list(table.dropped)) == (
            [[] if label == "2" else [2], [2]],
            ["c"],
        )
        assert table.dropped["c"][-1].message.startswith(f"instances.csv: case c: {words.replace('row 3', 'row 4')}")

    def test_of_two_rows_for_one_label_none_is_used(self, tmp_path):
        table = read(tmp_path, "case,instance,class\nc,2,a\nc,3,a\nc,2,b\n", by_row=True)
        assert table.instances == {"c": {3: Instance("a")}}
        assert [issue.message.partition(";")[0] for issue in table.dropped["c"]] == [
            "instances.csv: case c: the instance 2 in row 2",
            "instances.csv: case c: the instance 2 in row 4",
        ]

    def test_the_same_label_in_two_cases_is_two_objects(self, tmp_path):
        table = read(tmp_path, "case,instance,class\nc,2,a\nd,2,b\n")
        assert table.instances == {"c": {2: Instance("a")}, "d": {2: Instance("b")}}

    def test_the_first_wrong_row_of_the_file_is_told(self, tmp_path):
        text = "case,instance,class,score\nc,1,a,1\nd,1,odd,1\nd,0,a,1\nc,2,a,7\n"
        assert refused(read, tmp_path, text)[1] == "'odd' as class in row 3"
        table = read(tmp_path, text, by_row=True)
        issues = [issue for of_case in table.dropped.values() for issue in of_case]
        assert [issue.message.partition("; ")[0] for issue in issues] == [
            "instances.csv: case d: 'odd' as class in row 3",
            "instances.csv: case d: '0' as instance in row 4",
            "instances.csv: case c: '7' as score in row 5",
        ]
        assert table.instances == {"c": {1: Instance("a", 1.0)}}


class TestClasses:
    NEEDED = InstanceRules(("a", "b"), need_class=True)

    def test_any_class_is_taken_where_the_task_names_none(self, tmp_path):
        table = read(tmp_path, "case,instance,class\nc,1,odd\nc,2,\n", InstanceRules(None))
        assert [own.name for own in table.of("c").values()] == ["odd", ""]

    def test_a_class_may_lack_unless_it_is_needed(self, tmp_path):
        text = "case,instance,class\nc,1,\nc,2,b\n"
        assert [own.name for own in read(tmp_path, text).of("c").values()] == ["", "b"]
        assert refused(read, tmp_path, text, self.NEEDED) == ("table", "'' as class in row 2", "one of a, b")

    def test_a_strange_one_is_told_up_to_a_length(self, tmp_path):
        refusal = refused(read, tmp_path, f"case,instance,class\nc,1,a\nc,2,{'x' * 50}\n")
        assert refusal == ("table", f"{'x' * 40!r} as class in row 3", "one of a, b")

    def test_without_a_column_nobody_has_one(self, tmp_path):
        assert read(tmp_path, "case,instance\nc,1\n").of("c") == {1: Instance("")}
        refusal = refused(read, tmp_path, "case,instance\nc,1\n", self.NEEDED)
        assert refusal == ("table", "no column class", "one of a, b")

    @pytest.mark.parametrize(
        ("count", "words"), [(12, "a, b, c, d, e, f, g, h, i, j, k, l"), (13, "a, b, c, d, e, f, g, h, i, j, k, l, …")]
    )
    def test_twelve_of_them_are_listed(self, tmp_path, count, words):
        rules = InstanceRules(LETTERS[:count], need_class=True)
        assert refused(read, tmp_path, "case,instance\nc,1\n", rules)[2] == f"one of {words}"
        assert refused(read, tmp_path, "case,instance,class\nc,1,odd\n", rules)[2] == f"one of {words}"


class TestScores:
    NEEDED = InstanceRules(("a", "b"), need_scores=("ap", "froc"))

    @pytest.mark.parametrize(("score", "fits"), [("0", True), ("1", True), ("-0.01", False), ("1.01", False)])
    def test_they_lie_from_0_to_1(self, tmp_path, score, fits):
        text = f"case,instance,score\nc,1,{score}\n"
        if fits:
            assert read(tmp_path, text).of("c") == {1: Instance("", float(score))}
        else:
            assert refused(read, tmp_path, text) == ("table", f"{score!r} as score in row 2", "a number from 0 to 1")

    @pytest.mark.parametrize(("score", "fits"), [("-7.5", True), ("1e9", True), ("inf", False), ("nan", False)])
    def test_any_finite_number_is_a_score_where_the_task_allows_it(self, tmp_path, score, fits):
        rules = InstanceRules(("a", "b"), need_scores=("ap",), any_score=True)
        table = read(tmp_path, f"case,instance,score\nc,1,{score}\nc,2,0.5\n", rules, by_row=True)
        assert sorted(table.of("c")) == ([1, 2] if fits else [2])

    def test_a_column_without_any_is_none(self, tmp_path):
        for text in ("case,instance,score\nc,1,\nc,2,\n", "case,instance\nc,1\nc,2\n"):
            assert [own.score for own in read(tmp_path, text).of("c").values()] == [None, None]
            refusal = refused(read, tmp_path, text, self.NEEDED)
            assert refusal == ("table", "no scores, which ap, froc need", "a column score")

    def test_a_table_without_rows_lacks_no_score_but_may_lack_the_column(self, tmp_path):
        assert read(tmp_path, "case,instance,score\n", self.NEEDED).cases == []
        assert refused(read, tmp_path, "case,instance\n", self.NEEDED)[1] == "no scores, which ap, froc need"

    def test_where_one_has_a_score_all_have(self, tmp_path):
        refusal = refused(read, tmp_path, "case,instance,score\nc,1,0.5\nc,2,\n")
        assert refusal == ("table", "'' as score in row 3", "a number from 0 to 1")

    def test_references_have_none(self, tmp_path):
        assert read(tmp_path, "case,instance,score\nc,1,7\n", self.NEEDED, scored=False).of("c") == {1: Instance("")}


class TestIgnoredRegions:
    @pytest.mark.parametrize(
        ("mark", "ignored"), [("0", False), ("1", True), ("0.5", True), ("-0.5", None), ("1.5", None), ("", None)]
    )
    def test_a_mark_of_a_reference_lies_from_0_to_1(self, tmp_path, mark, ignored):
        text = f"case,instance,ignore\nc,1,{mark}\n"
        if ignored is None:
            refusal = refused(read, tmp_path, text, scored=False)
            assert refusal == ("table", f"{mark!r} as ignore in row 2", "a number from 0 to 1")
        else:
            assert read(tmp_path, text, scored=False).of("c") == {1: Instance("", None, ignored)}
        assert read(tmp_path, text).of("c") == {1: Instance("")}

    def test_such_a_region_needs_no_class_but_may_have_no_strange_one(self, tmp_path):
        rules = InstanceRules(("a",), need_class=True)
        head = "case,instance,class,ignore\n"
        table = read(tmp_path, head + "c,1,,1\nc,2,a,0\n", rules, scored=False)
        assert table.of("c") == {1: Instance("", None, True), 2: Instance("a")}
        assert refused(read, tmp_path, head + "c,1,a,1\nc,2,,0\n", rules, scored=False)[1] == "'' as class in row 3"
        assert refused(read, tmp_path, head + "c,1,odd,1\n", rules, scored=False)[1] == "'odd' as class in row 2"


class TestRowsAndObjects:
    IMAGE = SimpleNamespace(labels=np.array([[0, 4], [2, 9]]))

    @pytest.mark.parametrize(
        ("rows", "used", "count", "words"),
        [
            ("c,2\nc,4\nc,9\n", [2, 4, 9], 0, ""),
            ("c,2\nc,4\n", [2, 4], 1, "no row for the instance 9 of m.png"),
            ("c,2\nc,4\nc,9\nc,7\n", [2, 4, 9], 1, "the instance 7 has no pixel in m.png"),
            ("c,2\nc,4\nc,0.5\n", [2, 4], 1, "'0.5' as instance in row 4"),
            ("d,2\n", [], 3, "no row for the instance 2 of m.png"),
        ],
    )
    def test_what_has_no_counterpart_is_not_used(self, tmp_path, rows, used, count, words):
        table = read(tmp_path, f"case,instance\n{rows}", InstanceRules(None), by_row=True)
        kept, unused = rows_and_objects(self.IMAGE, table, case="c", file="m.png")
        assert (sorted(kept), unused.count, words in unused.reason) == (used, count, True)
        assert unused.total == (len(used) + count if count else 0)


def test_the_smallest_label_that_stands_on_one_side_only_is_told():
    image = SimpleNamespace(labels=np.array([[0, 4], [2, 9]]))
    wanted = "one row for each object of the label map"
    for rows, words in (
        ([4, 2, 9, 7, 3], "case c: the instance 3 has no pixel in m.png"),
        ([9], "case c: no row for the instance 2 of m.png"),
        ([], "case c: no row for the instance 2 of m.png"),
        ([0, 2, 4, 9], "case c: the instance 0 has no pixel in m.png"),
    ):
        rows_of_case = dict.fromkeys(rows, Instance("a"))
        assert refused(check_instances, image, rows_of_case, case="c", file="m.png") == ("table", words, wanted)
    check_instances(image, dict.fromkeys([9, 4, 2], Instance("a")), case="c", file="m.png")
    check_instances(SimpleNamespace(labels=np.zeros((2, 2), dtype=int)), {}, case="c", file="m.png")
