"""``metrics.json`` of Grand Challenge, one or several, and the evaluations that its interface lists.

Structure: the evaluation templates of grand-challenge-forge (``results`` and ``aggregates``), evalutils (``case`` and
``aggregates``, columns of a data frame), and ``EvaluationSerializer`` in app/grandchallenge/evaluation/serializers.py
(comic/grand-challenge.org).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.formats.building import ONE_METHOD, Table, flattened, repeated
from evaluation.importing.formats.parts import distinct_names, is_plain
from evaluation.importing.sheets import TableError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.importing.formats.parts import Part
    from evaluation.importing.sheets import SheetLimits

METRICS_SLUG: Final = "metrics-json-file"
_CASE_KEYS: Final = ("case", "case_id", "pk", "id", "image", "image_name", "file", "filename", "fname", "name", "uid")
_SUCCEEDED: Final = "Succeeded"
_METRICS_KEYS: Final = ("case", "results", "aggregates")
_EXPORT_ROLES: Final = {
    **dict.fromkeys(("submission", "created", "comment", "title"), "ignore"),
    "phase": "task",
    "creator": "algorithm",
}


class GrandChallenge:
    """Reader of ``metrics.json`` and of listed evaluations."""

    name = "Grand Challenge metrics.json"

    def recognizes(self, part: Part, limits: SheetLimits) -> bool:  # noqa: ARG002 (the signature)
        """Return whether the file holds metrics, a list of them, or evaluations with metrics."""
        if not part.looks_like_json or len(part.lines or ()) > 1:
            return False
        document = part.document
        if _evaluations(document) is not None or _is_metrics(document):
            return True
        entries = document.values() if isinstance(document, dict) else document
        return bool(entries) and isinstance(document, (dict, list)) and all(_is_metrics(entry) for entry in entries)

    def read(self, parts: Sequence[Part], limits: SheetLimits) -> Table:  # noqa: ARG002 (the signature)
        """Read evaluations, or the metrics of one method per file or entry."""
        if len(parts) == 1 and _evaluations(parts[0].document) is not None:
            return _read_export(parts[0])
        table = Table(roles={"algorithm": "algorithm"})
        methods: list[tuple[str, str, Mapping[str, Any]]] = []
        for name, part in zip(distinct_names([part.path for part in parts]), parts, strict=True):
            if _evaluations(part.document) is not None:
                what = "this is a list of evaluations, next to other files"
                raise TableError(part.path, what, "Send the list of evaluations alone.")
            methods += _methods(part, name, table)
        if len(methods) == 1:
            table.question = ONE_METHOD
        _add_methods(table, [({"algorithm": method}, path, metrics) for method, path, metrics in methods])
        if len(methods) == 1:
            table.entries = [
                {key: value for key, value in entry.items() if key != "algorithm"} for entry in table.entries
            ]
        return table


def _is_metrics(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    has_cases = isinstance(value.get("case"), (dict, list)) or isinstance(value.get("results"), list)
    return isinstance(value.get("aggregates"), dict) or (has_cases and set(value) <= {*_METRICS_KEYS, "score"})


def _evaluations(document: Any) -> list[Any] | None:
    """The evaluations of a list or of one page of the interface; ``None`` for anything else."""
    entries = document.get("results") if isinstance(document, dict) else document
    if not isinstance(entries, list) or not entries:
        return None
    are_evaluations = all(isinstance(entry, dict) and "submission" in entry and "outputs" in entry for entry in entries)
    return entries if are_evaluations else None


def _methods(part: Part, name: str, table: Table) -> list[tuple[str, str, Mapping[str, Any]]]:
    document = part.document
    if _is_metrics(document):
        return [(name, part.path, document)]
    if isinstance(document, dict):
        return [(str(key), f"{part.path}, {key}", value) for key, value in document.items()]
    table.notes.append(
        "The list names no algorithm: its entries are called entry 1, entry 2 and so on, in their order."
    )
    return [
        (f"entry {number}", f"{part.path}, entry {number}", value) for number, value in enumerate(document, start=1)
    ]


def _read_export(part: Part) -> Table:
    document = part.document
    entries = _evaluations(document) or []
    count = document.get("count") if isinstance(document, dict) else None
    if isinstance(count, int) and count > len(entries):
        what = f"the file holds {len(entries)} of {count} evaluations, one page of the list"
        raise TableError(part.path, what, "Fetch all pages, and send their evaluations as one list.")
    table = Table(roles=dict(_EXPORT_ROLES))
    chosen: list[tuple[dict[str, Any], str, Mapping[str, Any]]] = []
    unused = 0
    for number, entry in enumerate(entries, start=1):
        metrics = _metrics_of(entry)
        if entry.get("status", _SUCCEEDED) != _SUCCEEDED or metrics is None:
            unused += 1
            continue
        chosen.append((_about(part, number, entry), f"{part.path}, evaluation {number}", metrics))
    if not chosen:
        what = f"none of {len(entries)} evaluations has succeeded with a metrics.json"
        raise TableError(part.path, what, f"Export evaluations whose outputs include {METRICS_SLUG}.")
    if unused:
        table.notes.append(
            f"Not used: {unused} of {len(entries)} evaluations, which did not succeed or have no metrics."
        )
    if len({about["phase"] for about, _, _ in chosen}) == 1:
        table.roles["phase"] = "ignore"
    twice = repeated([f"{about['phase']}\n{about['creator']}" for about, _, _ in chosen])
    if twice:
        creator = twice.partition("\n")[2]
        table.roles["creator"] = "ignore"
        table.question = (
            f"{shown(creator)} has several evaluations, and only one per team can be ranked",
            "Choose the column “submission” as the algorithm to rank every evaluation, or keep one evaluation per team.",
        )
    _add_methods(table, chosen)
    return table


def _about(part: Part, number: int, entry: Mapping[str, Any]) -> dict[str, Any]:
    submission = entry["submission"] if isinstance(entry["submission"], dict) else {}
    creator, phase = submission.get("creator"), submission.get("phase")
    name = creator.get("username") if isinstance(creator, dict) else creator
    title = (phase.get("title") or phase.get("slug")) if isinstance(phase, dict) else phase
    if not isinstance(name, str) or not name:
        raise TableError(part.path, f"evaluation {number} names no creator of its submission", "Export it again.")
    return {
        "creator": name,
        "submission": str(submission.get("pk", number)),
        "phase": str(title or ""),
        "created": str(submission.get("created", "")),
    }


def _metrics_of(entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    outputs = entry["outputs"] if isinstance(entry["outputs"], list) else []
    for output in outputs:
        interface = output.get("interface") if isinstance(output, dict) else None
        slug = interface.get("slug") if isinstance(interface, dict) else None
        if slug == METRICS_SLUG and isinstance(output.get("value"), dict):
            metrics: Mapping[str, Any] = output["value"]
            return metrics
    return None


def _add_methods(table: Table, methods: Sequence[tuple[Mapping[str, Any], str, Mapping[str, Any]]]) -> None:
    """Add the values of single cases, or of the whole data set if no method has any."""
    by_case = [(start, where, _cases(where, metrics)) for start, where, metrics in methods]
    with_cases = [where for _, where, cases in by_case if cases]
    if not with_cases:
        _add_aggregates(table, methods)
        return
    without = next((where for _, where, cases in by_case if not cases), "")
    if without:
        what = "the file holds no values of single cases, and others do"
        raise TableError(without, what, "Send values of single cases of all methods.")
    numbered = {len(cases) for _, _, cases in by_case if all(key is None for key, _ in cases)}
    if len(numbered) > 1:
        what = "the methods have different numbers of cases, and no case has a name"
        raise TableError(with_cases[0], what, "Add a key “case” with its name to each entry.")
    table.roles["case"] = "case"
    for start, where, cases in by_case:
        key = _case_key(where, cases)
        for number, (index, values) in enumerate(cases, start=1):
            name = values.get(key) if key else index
            if name is None:
                what = f"{where}: entry {number} does not name its case"
                raise TableError(where, what, f"Add one of the keys {', '.join(_CASE_KEYS[:4])} to each entry.")
            table.add(
                {**start, "case": str(name), **{column: value for column, value in values.items() if column != key}}
            )


def _cases(where: str, metrics: Mapping[str, Any]) -> list[tuple[str | None, dict[str, Any]]]:
    """Index and values of each case."""
    given = metrics.get("case", metrics.get("results"))
    if isinstance(given, list):
        if not all(isinstance(entry, dict) for entry in given):
            raise TableError(where, "the list of cases holds something that is no object", "Send one object per case.")
        return [(None, flattened(where, f"case {number}", entry)) for number, entry in enumerate(given, start=1)]
    if not isinstance(given, dict) or not given:
        return []
    # A data frame as columns: name of the column → index of the row → value.
    indices: dict[str, dict[str, Any]] = {}
    for column, cells in given.items():
        if not isinstance(cells, dict) or not all(is_plain(value) for value in cells.values()):
            what = f"the values of {shown(str(column))} are no column of a table"
            raise TableError(where, what, "Write cases as a list of objects, or as DataFrame.to_dict() does.")
        for index, value in cells.items():
            indices.setdefault(str(index), {})[str(column)] = value
    return list(indices.items())


def _case_key(where: str, cases: Sequence[tuple[str | None, Mapping[str, Any]]]) -> str:
    """The key that names the cases; empty if the index of the data frame does."""
    for key in _CASE_KEYS:
        names = [values.get(key) for _, values in cases]
        if all(isinstance(name, (str, int)) and not isinstance(name, bool) for name in names):
            if twice := repeated([str(name) for name in names]):
                raise TableError(where, f"two entries are of the case {shown(twice)}", "Keep one of them.")
            return key
    return ""


def _add_aggregates(table: Table, methods: Sequence[tuple[Mapping[str, Any], str, Mapping[str, Any]]]) -> None:
    table.is_summary = True
    for start, where, metrics in methods:
        values = flattened(where, "“aggregates”", metrics.get("aggregates") or {})
        if not values:
            raise TableError(where, "the file holds neither cases nor aggregates", "Export the evaluations again.")
        table.add({**start, **values})
    columns = {column for entry in table.entries for column in entry}
    means = {column.rpartition(".")[0] for column in columns if column.endswith(".mean")}
    # Next to a mean, standard deviation, quartiles and counts describe the cases and are nothing to rank by.
    table.roles |= {
        column: "ignore" for column in columns if column.rpartition(".")[0] in means and not column.endswith(".mean")
    }
    table.notes.append("The file holds values of the whole data set only: how certain the ranks are cannot be stated.")
