"""The cases of a site: which there are, their grades, and the seal that fixes them. All of it stays here."""

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation import problems
from evaluation.assessment.exclusions import GRADES
from evaluation.canonical import sha256
from evaluation.federation import FederationError
from evaluation.federation.manifest import SealedCase, seal
from evaluation.federation.scheme import unit_level
from evaluation.readers import ReadError
from podium_client.errors import ClientError
from podium_client.site import guests, outbox
from podium_client.site.folder import CASES, SiteFolder, sha256_of
from podium_client.site.reasons import REASONS


def references_of(site: SiteFolder) -> Path:
    """The folder with the references."""
    return site.path / CASES / "references"


def case_names(site: SiteFolder) -> list[str]:
    """Names of all cases that have a reference.

    Raises
    ------
    ClientError
        Where references cannot be taken.
    """
    try:
        references = problems.get(site.assessment.problem).open_references(site.assessment, references_of(site))
    except (ReadError, ValueError) as error:
        raise ClientError(f"The references in {references_of(site)} cannot be taken: {error}") from error
    return sorted(references.cases)


def case_table(site: SiteFolder) -> pd.DataFrame:
    """One row a case: its site, its grade where grades are registered, and the columns of ``cases/cases.csv``.

    Raises
    ------
    ClientError
        For a table without its column, or one that leaves out a case.
    """
    names = case_names(site)
    table = pd.DataFrame({"case": names})
    path = site.path / CASES / "cases.csv"
    if path.is_file():
        given = _read_csv(path)
        absent = sorted(set(names) - set(given["case"]))
        if absent:
            raise ClientError(f"{path} has no row for case {absent[0]} ({len(absent)} cases in all).")
        table = table.merge(given.drop_duplicates("case"), on="case", how="left")
    table[site.site_column] = site.name
    column = site.assessment.exclusions.grade_column
    if column:
        given_grades = table[column] if column in table.columns else pd.Series([""] * len(table))
        grades = given_by_hand(site)
        table[column] = [
            str(grades.get(name, {}).get("grade") or given or "acceptable")
            for name, given in zip(table["case"], given_grades, strict=True)
        ]
    return table


def given_by_hand(site: SiteFolder) -> dict[str, Any]:
    """Grades that were given with ``podium site grade``, with their reasons."""
    return site.read("grades.json") if site.has("grades.json") else {}


def grade(site: SiteFolder, case: str, value: str, reason: str) -> None:
    """Grade a case, before the first result exists.

    Raises
    ------
    ClientError
        For an unknown case or grade, a missing reason, or a grade that comes after a result.
    """
    if not site.assessment.exclusions.grade_column:
        raise ClientError("The registered assessment knows no grades of cases; every case counts.")
    if any((site.path / "results").glob("*.csv")):
        raise ClientError(
            "Results are here already: grades are given before, so that no result decides what is a bad case."
        )
    if value not in GRADES:
        raise ClientError(f"{value} is no grade; there are {', '.join(GRADES)}.")
    if value == "insufficient" and not reason:
        raise ClientError(f"Why is it insufficient? --reason takes one of {', '.join(REASONS)}.")
    if reason and reason not in REASONS:
        raise ClientError(f"{reason} is no reason; there are {', '.join(REASONS)}.")
    if case not in case_names(site):
        raise ClientError(f"There is no case {case}.")
    grades = given_by_hand(site) | {case: {"grade": value, "reason": reason}}
    site.write("grades.json", grades)
    site.note("graded", grade=value)


def seal_cases(site: SiteFolder) -> dict[str, Any]:
    """Fix the cases; only the digest and counts are signed.

    Raises
    ------
    ClientError
        When results are there already, or the cases cannot be sealed.
    """
    if any((site.path / "results").glob("*.csv")):
        raise ClientError("Results are here already: the cases were sealed, and stay as they are.")
    own_cases, joined = sealed_cases(site), guests.guests(site)
    cases = [*own_cases, *guests.guest_cases(site)]
    before = site.read("sealed.json") if site.has("sealed.json") else None
    version = 1 if before is None else int(before["version"]) + 1
    try:
        sealed = seal(site.secret, site.name, cases, version=version)
    except FederationError as error:
        raise ClientError(f"The cases cannot be sealed: {error}.") from error
    least = int(site.package["rules"]["minimum_units"])
    small = len({case.unit for case in own_cases}) < least
    if small and (joined or not guests.may_join(site)):
        raise ClientError(
            f"This site has fewer than {least} cases that stand for themselves; nothing may leave it. "
            + ("It joins another site, and takes none in." if joined else "The registered rule is to leave it out.")
        )
    content: dict[str, Any] = {
        "manifest": sealed.digest,
        "version": version,
        "units": sealed.units,
        "cases": sealed.cases,
        "grades": dict(sealed.grades),
    }
    if joined:
        content["with"] = joined
    site.write("sealed.json", {**content, "small": small, "list": [case.document for case in cases]})
    if not small:
        outbox.queue(site, "manifest-seal", content)
    return {**content, "small": small}


def check_seal(site: SiteFolder) -> dict[str, Any]:
    """Compare the files with what was sealed, and return that.

    Raises
    ------
    ClientError
        When a case was added, removed or changed.
    """
    if not site.has("sealed.json"):
        raise ClientError("The cases are not sealed yet: podium site seal.")
    stored_seal = site.read("sealed.json")
    sealed = {case["case"]: case for case in stored_seal["list"]}
    present = {case.case: case.document for case in [*sealed_cases(site), *guests.guest_cases(site)]}
    changed = sorted(name for name in sealed.keys() | present.keys() if sealed.get(name) != present.get(name))
    if changed:
        raise ClientError(
            f"{len(changed)} cases are not as they were sealed ({changed[0]}). Put the files back; "
            "what was sealed is what counts."
        )
    return stored_seal


def sealed_cases(site: SiteFolder) -> list[SealedCase]:
    """The own cases as they are sealed, from the files that are there now."""
    table = case_table(site).set_index("case")
    level, column = unit_level(site.assessment, site.site_column), site.assessment.exclusions.grade_column
    if level not in ("case", *table.columns):
        raise ClientError(f"The assessment counts each {level} once: cases/cases.csv needs a column {level}.")
    by_case = _reference_digests(site, list(table.index))
    return [
        SealedCase(
            case=name,
            files=_images(site, name),
            reference=by_case[name],
            grade=str(table.loc[name, column]) if column else "acceptable",
            unit=name if level == "case" else str(table.loc[name, level]),
        )
        for name in table.index
    ]


def _reference_digests(site: SiteFolder, names: list[str]) -> dict[str, str]:
    """Return the SHA-256 digest of the reference of each case.

    It covers the case's own files, or the tables that contain its reference.
    """
    files = sorted(path for path in references_of(site).rglob("*") if path.is_file() and path.name[0] != ".")
    digests = {path: sha256_of(path) for path in files}
    folder = references_of(site)
    case_digests: dict[str, dict[str, str]] = {name: {} for name in names}
    shared = {}
    for path, digest in digests.items():
        relative = path.relative_to(folder)
        owner = next((name for name in (relative.parts[0], *_stems(relative.parts[0])) if name in case_digests), None)
        if owner is None:
            shared[relative.as_posix()] = digest
        else:
            case_digests[owner][relative.as_posix()] = digest
    return {
        name: sha256({"own": case_digests[name]} if case_digests[name] else {"case": name, "shared": shared})
        for name in names
    }


def _images(site: SiteFolder, name: str) -> dict[str, str]:
    """Return the SHA-256 digests of the images of a case, if they are stored under ``cases/images``."""
    folder = site.path / CASES / "images"
    if not folder.is_dir():
        return {}
    return {
        path.relative_to(folder).as_posix(): sha256_of(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and name in (path.relative_to(folder).parts[0], *_stems(path.relative_to(folder).parts[0]))
    }


def _stems(name: str) -> list[str]:
    """Return the case names that a file may belong to: its name without one or more suffixes."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]


def folder_digest(folder: Path) -> str:
    """One digest of all files of a folder."""
    digests = {
        path.relative_to(folder).as_posix(): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()
    }
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


def _read_csv(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig", skipinitialspace=True)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, csv.Error) as error:
        raise ClientError(f"{path} is no CSV table: {error}") from error
    if "case" not in table.columns:
        raise ClientError(f"{path} has no column case.")
    return table
