"""Checking a table of predictions before it is uploaded, with the code that the platform reads it with."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from podium_client.errors import ClientError
from podium_client.findings import Finding

Fetch = Callable[[str], Path]


def check_table(wanted: dict[str, Any], files: list[str], fetch: Fetch) -> tuple[list[Finding], list[str]]:
    """Find the one table among `files` and judge every case; returns findings, and what will be ignored.

    Raises
    ------
    ClientError
        When the platform would not take the table as a whole.
    """
    from evaluation.readers import ReadError

    table, names = wanted["table"], [case["name"] for case in wanted["cases"]]
    found = [file for file in files if PurePosixPath(file).name.lower() in table["files"]]
    if len(found) > 1:
        raise ClientError(f"There are {len(found)} tables: {', '.join(found[:5])}. Keep one.")
    if not found:
        raise ClientError(f"There is no {' or '.join(table['files'])}.")
    ignored = [file for file in files if file != found[0]]
    judge = _labels if wanted["problem"] == "image_classification" else _objects
    try:
        findings, strange = judge(fetch(found[0]), table, names)
    except ReadError as error:
        raise ClientError(str(error)) from error
    return findings, [*ignored, *(f"{PurePosixPath(found[0]).name}: case {case}" for case in strange)]


def _labels(path: Path, table: dict[str, Any], names: list[str]) -> tuple[list[Finding], list[str]]:
    from evaluation.readers import ReadError
    from evaluation.readers.limits import Limits
    from evaluation.readers.tables import read_predicted_labels

    limits = Limits(table_rows=min(2 * len(names) + 1000, table["most_rows"]))
    answers = read_predicted_labels(path, sorted(names), tuple(table["classes"]), named=len(names), limits=limits)
    if answers.scores is None and table["need_scores"]:
        raise ReadError("table", path.name, f"no columns p_<class>, which {', '.join(table['need_scores'])} need")
    findings = []
    for name in names:
        if name in answers.invalid:
            issue = answers.invalid[name]
            findings.append(Finding(name, issue.message, issue.remedy))
        elif name in answers.absent:
            findings.append(_no_row(path, name))
    return findings, list(answers.unexpected)


def _objects(path: Path, table: dict[str, Any], names: list[str]) -> tuple[list[Finding], list[str]]:
    from evaluation.readers import ReadError
    from evaluation.readers.limits import Limits
    from evaluation.readers.object_tables import read_objects

    found = read_objects(path, scored=True, by_case=True, limits=Limits(table_rows=table["most_rows"]))
    if not found.objects and not found.invalid:
        raise ReadError("table", path.name, "no object in any case", "at least one row")
    if found.kind != (table["kind"], table["axes"]):
        given, known = (f"{kind} with {axes} axes" for kind, axes in (found.kind, (table["kind"], table["axes"])))
        raise ReadError("table", path.name, given, known)
    if table["need_scores"] and any(objects.scores is None for objects in found.objects.values()):
        raise ReadError("table", path.name, f"objects without a score, which {', '.join(table['need_scores'])} need")
    named = {str(name) for objects in found.objects.values() for name in set(objects.classes.tolist())}
    if strange := sorted(named - set(table["classes"])):
        raise ReadError("table", path.name, f"the class {strange[0][:40]!r}, which the task does not know")
    findings = []
    for name in names:
        number = found.objects[name].size if name in found.objects else 0
        if name in found.invalid:
            issue = found.invalid[name]
            findings.append(Finding(name, issue.message, issue.remedy))
        elif number > table["most_objects_of_case"]:
            most = table["most_objects_of_case"]
            findings.append(
                Finding(name, f"{number:,} objects; at most {most:,} are taken", "Keep those with the highest scores.")
            )
    return findings, [case for case in found.cases if case not in set(names)]


def _no_row(path: Path, name: str) -> Finding:
    return Finding(name, f"{path.name} has no row for {name}", f"Add a row for {name}.")
