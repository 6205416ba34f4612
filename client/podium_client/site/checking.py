"""Checks that this machine computes the same results as the centre.

Public cases are checked first. Then the site's own cases are checked for readability.
"""

import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from evaluation import __version__, durable, problems
from evaluation.assessment import Assessment
from evaluation.cli.inputs import read_results
from evaluation.federation.documents import digest_of
from evaluation.readers import ReadError
from evaluation.scoring import score_folders, write_results
from podium_client.errors import ClientError
from podium_client.site import cases, images, outbox
from podium_client.site.folder import SiteFolder
from podium_client.site.joining import DRY_RUN_MEMBER

EXPECTED = "expected.csv"
_MOST_MEMBERS, _MOST_BYTES = 20_000, 20 * 2**30
_KEY = ["algorithm", "case", "region", "metric"]


def check(site: SiteFolder) -> dict[str, Any]:
    """Score the public cases, read the own ones, and sign what came of it; nothing of a case is in it."""
    start = time.monotonic()
    dry_run = _dry_run(site)
    seconds = time.monotonic() - start
    engine = images.check_engine(site)
    names = cases.case_names(site)
    unreadable = _unreadable(site, names)
    content: dict[str, Any] = {
        "package": digest_of(site.package),
        "kit": __version__,
        "dry_run": {key: dry_run[key] for key in ("passed", "largest_difference")}
        | ({} if dry_run["passed"] else {"fault": "software"}),
        "local": {"passed": not unreadable, "without_value": len(unreadable)}
        | ({"fault": "data"} if unreadable else {}),
        "seconds_a_case": round(seconds / dry_run["scored"], 2) if dry_run["scored"] else None,
    }
    passed = bool(dry_run["passed"]) and not unreadable
    site.write("checked.json", {"passed": passed, "package": content["package"], "unreadable": unreadable})
    if passed:
        outbox.queue(site, "compatibility", content)
    return {**content, "passed": passed, "unreadable": unreadable, "where": dry_run["where"], "engine": engine}


def pack_test(assessment: Assessment, references: Path, predictions: Path, target: Path) -> int:
    """Make the public cases of a package: references, predictions and what they score here; returns how many values."""
    folders = {path.name: path for path in sorted(predictions.iterdir()) if path.is_dir()}
    if not folders:
        raise ClientError(f"{predictions} holds no folder of an algorithm.")
    try:
        scored = score_folders(assessment, references, folders)
    except (ReadError, ValueError) as error:
        raise ClientError(str(error)) from error
    with (
        TemporaryDirectory() as scratch,
        durable.replacing(target) as stream,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        expected = Path(scratch) / EXPECTED
        write_results(scored.rows, expected)
        archive.write(expected, EXPECTED)
        for name, folder in (("references", references), *((f"predictions/{n}", f) for n, f in folders.items())):
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}")
    return len(scored.rows)


def _dry_run(site: SiteFolder) -> dict[str, Any]:
    wanted = site.package["dry_run"]
    if wanted is None:
        return {"passed": True, "largest_difference": 0.0, "scored": 0, "where": ""}
    with TemporaryDirectory(prefix="podium-site-") as scratch:
        folder = Path(scratch)
        _unpack(site.path / "package" / DRY_RUN_MEMBER, folder)
        algorithms = {path.name: path for path in sorted((folder / "predictions").iterdir()) if path.is_dir()}
        try:
            scored = score_folders(site.assessment, folder / "references", algorithms)
        except (ReadError, ValueError) as error:
            raise ClientError(f"The public cases cannot be scored here: {error}") from error
        write_results(scored.rows, folder / "found.csv")
        computed = read_results([folder / "found.csv"], {})
        expected = read_results([folder / EXPECTED], {})
    largest, where = _difference(computed, expected)
    passed = largest <= float(wanted["relative_tolerance"])
    return {"passed": passed, "largest_difference": largest, "scored": len(computed["case"].unique()), "where": where}


def _difference(computed: pd.DataFrame, expected: pd.DataFrame) -> tuple[float, str]:
    """The largest relative difference of two tables of the same values, and where it is; 1 where one has no value."""
    columns = [name for name in _KEY if name in expected.columns]
    both = expected.merge(computed, on=columns, how="outer", suffixes=("_expected", "_found"), indicator=True)
    expected_values = pd.to_numeric(both["value_expected"], errors="coerce")
    here = pd.to_numeric(both["value_found"], errors="coerce")
    scale = expected_values.abs().combine(here.abs(), max).replace(0, 1.0)
    difference = ((expected_values - here).abs() / scale).where(expected_values.notna() & here.notna())
    absent = (expected_values.isna() != here.isna()) | (both["_merge"] != "both")
    difference = difference.where(~absent, 1.0).fillna(0.0)
    if difference.empty:
        return 1.0, "there are no values"
    row = both.loc[difference.idxmax()]
    return float(difference.max()), ", ".join(str(row[name]) for name in columns if str(row[name]))


def _unpack(archive: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as source:
            members = source.infolist()
            if len(members) > _MOST_MEMBERS or sum(member.file_size for member in members) > _MOST_BYTES:
                raise ClientError("The public cases are too large.")
            source.extractall(folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise ClientError(f"The public cases cannot be unpacked ({error}). Fetch them again.") from error
    for name in ("references", "predictions", EXPECTED):
        if not (folder / name).exists():
            raise ClientError(f"The public cases have no {name}. Tell the organizers.")


def _unreadable(site: SiteFolder, names: list[str]) -> list[str]:
    """Cases whose reference cannot be read; their names stay here."""
    references = problems.get(site.assessment.problem).open_references(site.assessment, cases.references_of(site))
    bad = []
    for name in names:
        try:
            references.prepare(name)
        except ReadError:
            bad.append(name)
    return bad
