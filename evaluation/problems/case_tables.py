"""Tables of single cases, as an algorithm writes them: judged one by one, and made one of all cases.

The column of the case is set here; what an algorithm writes into it counts for nothing.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.score_ranges import ANY_SCORE, NEED_LABELS, SCORES, has_any_score
from evaluation.problems.tables import CATEGORY_IDS, IMAGE_IDS, ExpectedTable, table_problem
from evaluation.readers import ReadError
from evaluation.readers.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluation.problems.beside import RulesBeside
    from evaluation.readers import Issue
    from evaluation.readers.limits import Limits

CASE: Final = "case"
KEY: Final = "predictions"
"""Key of `interface.json` under which such tables are described.

The description uses the terms that the platform uses for uploaded tables.
"""


@dataclass(frozen=True)
class CaseTable:
    """A table whose rows for each case are written by an algorithm.

    Attributes
    ----------
    expected
        Required content of the single table of predictions, where predictions are rows of a table.
    rules
        Required content of a table next to the files, where predictions are files.
    most_of_case
        Maximum number of rows that are accepted for one case.
    limits
        Limits within which the table is read.
    """

    expected: ExpectedTable | None = None
    rules: RulesBeside | None = None
    most_of_case: int | None = None
    limits: Limits = DEFAULT

    @property
    def file(self) -> str:
        """Name under which the table is submitted."""
        if self.expected is not None:
            return self.expected.files[0]
        return "" if self.rules is None else self.rules.file

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of each row, without that of the case."""
        source = self.expected or self.rules
        return () if source is None else tuple(name for name in source.columns if name != CASE)

    def described(self) -> dict[str, Any]:
        """Return the description of the table for `interface.json`."""
        description: dict[str, Any] = {"file": self.file, "columns": list(self.columns)}
        if self.expected is not None:
            return {
                "problem": self.expected.problem,
                "table": description | described(self.expected, self.most_of_case),
            }
        instances = instances_of(self.rules)
        return {"beside": description | {"needed": bool(self.rules and self.rules.needed)}} | (
            {"instances": instances} if instances else {}
        )

    def judge(self, case: str, path: Path, folder: Path) -> str:
        """Return the reason why the rows of a case are invalid: a sentence, empty if they are valid.

        Parameters
        ----------
        path
            The file that the algorithm wrote.
        folder
            Scratch folder; it must not be the folder that contains `path`.
        """
        whole = folder / path.name
        try:
            count = join({case: path}, whole, columns=self.columns, limits=self.limits)
            if self.expected is not None:
                return self._judge_rows(case, whole, count, path.name)
            if self.rules is not None:
                self.rules.read(whole, limits=self.limits)
        except ReadError as error:
            return _sentence(error.issue)
        finally:
            whole.unlink(missing_ok=True)
        return ""

    def _judge_rows(self, case: str, whole: Path, count: int, name: str) -> str:
        assert self.expected is not None
        problem = table_problem(self.expected.problem)
        table = problem.read_predictions(
            whole,
            [case],
            self.expected.reading,
            every_reason=True,
            most_of_case=self.most_of_case,
            limits=self.limits,
        )
        if (issue := table.issue(case)) is not None:
            return _sentence(issue)
        if count:
            problem.check_predictions(table, whole, self.expected)
        elif not table.without_row:
            return f"{name}: no row. Write a row for the case."
        return ""


def _sentence(issue: Issue) -> str:
    """Return the sentence that a submitted table gets for the same reason, with the remedy."""
    from evaluation.checking.sentences import of_issue

    return of_issue(issue).sentence


def case_table(document: Mapping[str, Any]) -> CaseTable | None:
    """Return the table that `CaseTable.described` wrote; ``None`` where the document describes no table.

    Raises
    ------
    ValueError
        If the document is invalid.
    """
    try:
        if (table := document.get("table")) is not None:
            most = table.get("most_objects_of_case")
            return CaseTable(expected_of(document["problem"], table), most_of_case=most)
        rules = rules_of(document)
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        message = f"{KEY}: {error} is not as it should be"
        raise ValueError(message) from None
    return None if rules is None else CaseTable(rules=rules)


def described(expected: ExpectedTable, most_of_case: int | None) -> dict[str, Any]:
    """Return the required content of a table of predictions, as JSON values."""
    return {
        "files": list(expected.files),
        "classes": list(expected.classes),
        "need_scores": list(expected.need_scores),
        "kind": expected.kind[0],
        "axes": expected.kind[1],
        "most_objects_of_case": most_of_case,
        **({"unit": expected.unit} if expected.unit else {}),
        **({SCORES: expected.scores} if expected.scores else {}),
        **({NEED_LABELS: list(expected.need_labels)} if expected.need_labels else {}),
    }


def expected_of(problem: str, document: Mapping[str, Any]) -> ExpectedTable:
    """Return the expected table from the document that `described` wrote."""
    kind = (str(document["kind"]), int(document["axes"]))
    files, classes, scores = (tuple(document[key]) for key in ("files", "classes", "need_scores"))
    return ExpectedTable(
        table_problem(problem).id,
        files,
        classes,
        scores,
        kind,
        unit=str(document.get("unit", "")),
        scores=str(document.get(SCORES, "")),
        need_labels=tuple(map(str, document.get(NEED_LABELS, ()))),
        image_ids=tuple((each["id"], str(each["name"])) for each in document.get(IMAGE_IDS, ())),
        category_ids=tuple((each["id"], str(each["name"])) for each in document.get(CATEGORY_IDS, ())),
    )


def rules_of(document: Mapping[str, Any]) -> RulesBeside | None:
    """Return the rules for a table next to the files, from the entries `instances` and `beside`."""
    from evaluation.readers.confidences import ConfidenceRules
    from evaluation.readers.instance_tables import InstanceRules

    if (rules := document.get("instances")) is not None:
        return InstanceRules(
            classes=None if rules["classes"] is None else tuple(rules["classes"]),
            need_class=rules["need_class"],
            need_scores=tuple(rules["need_scores"]),
            any_score=has_any_score(rules),
        )
    beside = document.get("beside") or {}
    return ConfidenceRules() if beside.get("file") == ConfidenceRules.file else None


def instances_of(rules: RulesBeside | None) -> dict[str, Any] | None:
    """Return the entry `instances` for the rules of a table of instances; ``None`` for other tables."""
    from evaluation.readers.instance_tables import InstanceRules

    if not isinstance(rules, InstanceRules):
        return None
    classes = None if rules.classes is None else list(rules.classes)
    document = {"classes": classes, "need_class": rules.need_class, "need_scores": list(rules.need_scores)}
    return document | ({SCORES: ANY_SCORE} if rules.any_score else {})


# Reading and writing --------------------------------------------------------------------------------------------------


def read_case(path: Path, *, limits: Limits = DEFAULT) -> Iterator[list[str]]:
    """Columns of the table of one case, and then its rows, one by one.

    Raises
    ------
    ReadError
        If it is no table, too large, or has a column twice.
    """
    if path.stat().st_size > limits.table_bytes:
        raise ReadError("too_large", path.name, f"{path.stat().st_size:,} bytes", f"at most {limits.table_bytes:,}")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            columns = [name.strip() for name in next(reader, [])]
            if not any(columns):
                raise ReadError("table", path.name, "nothing", "a first line with the names of the columns")
            if len(set(columns)) < len(columns):
                twice = next(name for name in columns if columns.count(name) > 1)
                raise ReadError("table", path.name, f"the column {twice[:40]!r} twice", "each column once")
            yield columns
            count = 0
            for number, row in enumerate(reader, 2):
                if not row:
                    continue
                if len(row) != len(columns):
                    actual = f"{len(row)} cells in row {number}"
                    raise ReadError("table", path.name, actual, f"{len(columns)}, as many as columns")
                if (count := count + 1) > limits.table_rows:
                    raise ReadError("too_large", path.name, f"more than {limits.table_rows:,} rows", "fewer")
                yield row
    except (UnicodeDecodeError, csv.Error) as error:
        raise ReadError("table", path.name, f"no CSV ({str(error)[:80]})", "a table in UTF-8") from None


def join(tables: Mapping[str, Path], target: Path, *, columns: Sequence[str] = (), limits: Limits = DEFAULT) -> int:
    """Write one table of all cases from the tables of single cases, and return its number of rows.

    A table without rows adds nothing, not even its columns. Otherwise other cases would lack values in these columns.

    Parameters
    ----------
    tables
        By case, in the order in which they are written.
    target
        The file to write.
    columns
        Columns to write where no case has a row.

    Raises
    ------
    ReadError
        If a file is not a table.
    """
    filled_columns: dict[str, None] = {}
    for path in tables.values():
        rows = read_case(path, limits=limits)
        header = next(rows)
        if next(rows, None) is not None:
            filled_columns |= dict.fromkeys(name for name in header if name != CASE)
    names = list(filled_columns or columns)
    count = 0
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([CASE, *names])
        for case, path in tables.items():
            rows = read_case(path, limits=limits)
            places = {name: index for index, name in enumerate(next(rows))}
            for row in rows:
                writer.writerow([case, *(row[places[name]] if name in places else "" for name in names)])
                count += 1
    return count
