"""Tables next to files: confidences of cases, and classes and scores of instances."""

from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.readers import ReadError
from evaluation.readers.confidences import ConfidenceRules
from evaluation.readers.instance_tables import INSTANCES_FILE, InstanceRules, check_instances, read_instances
from evaluation.readers.number_tables import read_number_table

TWO = ("cell", "debris")


def written(tmp_path, text, name="table.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


class TestConfidences:
    def test_one_number_a_case_is_taken_and_an_empty_one_lacks(self, tmp_path):
        path = written(tmp_path, "case,confidence\na,0.5\nb,-3\nc,\nd,1e3\n")
        table = ConfidenceRules().read(path)
        assert table.confidences == {"a": 0.5, "b": -3.0, "d": 1000.0}
        assert (table.cases, table.dropped) == (["a", "b", "c", "d"], {})
        assert [table.of(case) for case in "abcx"] == [0.5, -3.0, None, None]

    def test_what_is_wrong_of_a_case_costs_no_other(self, tmp_path):
        table = ConfidenceRules().read(written(tmp_path, "case,confidence\na,sure\nb,0.5\nc,0.1\nc,0.2\nd,inf\n"))
        assert set(table.dropped) == {"a", "c", "d"}
        assert table.confidences["b"] == 0.5
        assert table.cases == ["a", "b", "c", "d"]

    @pytest.mark.parametrize("text", ["case,sure\na,1\n", "confidence\n1\n", ""])
    def test_a_table_without_the_column_is_refused(self, tmp_path, text):
        with pytest.raises(ReadError):
            ConfidenceRules().read(written(tmp_path, text))

    def test_participants_are_told_its_name_and_columns(self):
        assert ConfidenceRules().document == {"file": "confidence.csv", "columns": ["case", "confidence"]}

    def test_a_task_that_asks_for_it_needs_it(self):
        rules = ConfidenceRules()
        assert (rules.needed, rules.purpose) == (True, "how sure the algorithm is of each case")
        assert (rules.words, rules.remedy) == ("table of confidences", "Give one row for each case.")


class TestReferencesOfNumbers:
    def test_they_are_taken_whole_or_not_at_all(self, tmp_path):
        read_number_table(written(tmp_path, "case,value\na,1\nb,2\n"), ("value",)).refuse()
        for text in ("case,value\na,1\na,2\n", "case,value\na,x\nb,2\n"):
            with pytest.raises(ReadError):
                read_number_table(written(tmp_path, text), ("value",)).refuse()


class TestInstances:
    RULES = InstanceRules(classes=TWO, need_class=True, need_scores=("average_precision",))

    def read(self, tmp_path, text, rules=None, **more):
        return read_instances(written(tmp_path, text), rules or self.RULES, **more)

    def test_rows_are_kept_by_case_and_label(self, tmp_path):
        text = "case,instance,class,score\na,1,cell,0.5\na,7,debris,1\nb,1,cell,0\n"
        table = self.read(tmp_path, text, by_row=True)
        assert {case: sorted(own) for case, own in table.instances.items()} == {"a": [1, 7], "b": [1]}
        assert (table.instances["a"][7].name, table.instances["a"][7].score) == ("debris", 1.0)
        assert (table.cases, table.of("c")) == (["a", "b"], {})

    @pytest.mark.parametrize(
        ("row", "words"),
        [
            ("a,1,nucleus,0.5", "'nucleus' as class in row 2"),
            ("a,1,,0.5", "as class in row 2"),
            ("a,1,cell,1.1", "1.1"),
            ("a,1,cell,-0.1", "-0.1"),
            ("a,1,cell,high", "high"),
        ],
    )
    def test_an_invalid_row_costs_only_its_object(self, tmp_path, row, words):
        text = f"case,instance,class,score\n{row}\na,2,cell,0.5\nb,1,debris,0.5\n"
        table = self.read(tmp_path, text, by_row=True)
        assert ([sorted(table.of(case)) for case in "ab"], list(table.dropped)) == ([[2], [1]], ["a"])
        assert [words in issue.message for issue in table.dropped["a"]] == [True]
        with pytest.raises(ReadError, match=r"(row|score)"):
            self.read(tmp_path, text)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("case,instance,score\na,1,0.5\n", "no column class"),
            ("case,instance,class\na,1,cell\n", "no scores, which average_precision need"),
            ("case,instance,class,score\na,1,cell,\n", "no scores"),
        ],
    )
    def test_what_metrics_need_has_to_be_there(self, tmp_path, text, words):
        with pytest.raises(ReadError, match=words):
            self.read(tmp_path, text, by_row=True)

    def test_what_they_do_not_need_may_lack(self, tmp_path):
        rules = InstanceRules(classes=TWO, need_class=False, need_scores=())
        table = self.read(tmp_path, "case,instance\na,1\n", rules)
        assert (table.instances["a"][1].name, table.instances["a"][1].score) == ("", None)
        named = self.read(tmp_path, "case,instance,class\na,1,\na,2,cell\n", rules)
        assert [own.name for own in named.instances["a"].values()] == ["", "cell"]

    @pytest.mark.parametrize(
        ("need_class", "need_scores", "words"),
        [
            (True, (), "the class of each object"),
            (False, ("pq", "ap"), "the score of each object, which pq, ap need"),
            (True, ("ap",), "the class of each object and the score of each object, which ap need"),
        ],
    )
    def test_what_the_table_is_for_is_said(self, need_class, need_scores, words):
        rules = InstanceRules(classes=TWO, need_class=need_class, need_scores=need_scores)
        assert (rules.purpose, rules.needed) == (words, True)
        assert not InstanceRules(classes=TWO, need_class=False, need_scores=()).needed

    def test_labels_and_rows_have_to_be_the_same(self):
        image = SimpleNamespace(labels=np.array([[0, 1], [7, 7]]))
        check_instances(image, {1: None, 7: None}, case="a", file="a.png")
        for rows, words in (
            ({1: None}, "no row for the instance 7 of a.png"),
            ({1: None, 3: None, 7: None}, "the instance 3 has no pixel in a.png"),
        ):
            with pytest.raises(ReadError, match=words) as error:
                check_instances(image, rows, case="a", file="a.png")
            assert (error.value.kind, error.value.file) == ("table", INSTANCES_FILE)
