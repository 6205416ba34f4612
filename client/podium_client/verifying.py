"""Checking a bundle at home, and computing again what a scoring image of the organizers computed."""

import argparse
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium_client.containers import load_image, open_engine
from podium_client.errors import ClientError

CASES_AT_ONCE = 20
TOLERANCE = 1e-12
SHOWN = 20


@dataclass(frozen=True)
class Recomputed:
    """Comparison with a second run of the scoring image: number of values, and differences."""

    image: str
    values: int
    teams: int
    differences: list[str]


@dataclass(frozen=True)
class Checked:
    """Result of checking a bundle.

    Contains the result as JSON values and as text, and whether everything is as published.
    """

    document: dict[str, Any]
    is_well: bool
    lines: list[str] = field(default_factory=list)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("bundle", type=Path, metavar="BUNDLE.zip", help="bundle of a published ranking")
    parser.add_argument(
        "--digest", metavar="HEX", help="digest as the leaderboard shows it, in place of the bundle's own"
    )
    parser.add_argument("--scorer", type=Path, metavar="IMAGE", help="the scoring image, as it was saved")
    parser.add_argument("--references", type=Path, help="folder of references, a file a case")
    parser.add_argument("--predictions", type=Path, help="folder with a folder of predictions for each team")
    parser.add_argument("--engine", choices=("podman", "docker"), default="podman")


def check(options: argparse.Namespace, *, tell: Callable[[str], None]) -> Checked:
    """Recompute the ranking and, with the image, the values that it computed.

    Raises
    ------
    ClientError
        With one line, when it cannot be done.
    """
    from evaluation.bundle import BundleError, verify

    if options.scorer and not (options.references and options.predictions):
        raise ClientError("--scorer needs --references and --predictions: what the image is shown.")
    try:
        verdict = verify(options.bundle, digest=options.digest)
    except (BundleError, OSError) as error:
        raise ClientError(str(error)) from error
    document = {"same": verdict.same, "says": verdict.sentence, "places": verdict.places, "notes": verdict.notes}
    lines = [verdict.sentence, *(f"  also: {difference}" for difference in verdict.places[1:])]
    lines += [f"  note: {note}" for note in verdict.notes]
    if not options.scorer:
        return Checked(document, verdict.same, lines)
    recomputed = recompute(
        options.bundle,
        options.scorer,
        options.references,
        options.predictions,
        engine_name=options.engine,
        tell=tell,
    )
    if recomputed.differences:
        lines += [f"The scoring image gives OTHER values: {recomputed.differences[0]}"]
        lines += [f"  also: {line}" for line in recomputed.differences[1:SHOWN]]
    else:
        teams = "1 team" if recomputed.teams == 1 else f"{recomputed.teams} teams"
        lines += [f"The scoring image {recomputed.image} gives the same {recomputed.values:,} values of {teams} again."]
    document |= {"image": recomputed.image, "recomputed": recomputed.values, "differences": recomputed.differences}
    return Checked(document, verdict.same and not recomputed.differences, lines)


def recompute(
    bundle: Path,
    archive: Path,
    references: Path,
    predictions: Path,
    *,
    engine_name: str = "podman",
    tell: Callable[[str], None] = lambda _: None,
) -> Recomputed:
    """Ask the scoring image of a bundle for its values once more.

    Parameters
    ----------
    bundle
        Of a ranking that has values of a scoring image.
    archive
        Of the image.
    references
        Folder of references, a file a case.
    predictions
        Folder with a folder for each team, called as in the bundle, with a file a case.

    Raises
    ------
    ClientError
        With one line, when it cannot be done.
    """
    from evaluation.bundle import BundleError, contents

    try:
        assessment, tables = contents(bundle)
    except BundleError as error:
        raise ClientError(str(error)) from error
    if not assessment.scorer:
        raise ClientError("No value of this bundle was computed by a scoring image.")
    with tempfile.TemporaryDirectory(prefix="podium-verify-", dir="/var/tmp") as name:
        folder = Path(name)
        # The user of a container is nobody on this machine and has to be able to enter it.
        folder.chmod(0o711)
        engine = open_engine(engine_name, folder)
        report = load_image(engine, folder, archive, tell)
        try:
            if report.image_id != assessment.scorer["image"]:
                raise ClientError(
                    f"This image is {report.image_id}; the values were computed by {assessment.scorer['image']}."
                )
            scorer = _Asking(engine, folder, report.image_id, assessment, references)
            differences: list[str] = []
            values = 0
            for team, table in tables.items():
                tell(f"{team} …")
                image_values = scorer.values(predictions / team, sorted(set(table["case"]) - {""}))
                values += len(image_values)
                differences += _differences(team, table, image_values, assessment)
        finally:
            engine.remove_image(report.image_id)
    return Recomputed(report.image_id, values, len(tables), differences)


class _Asking:
    def __init__(self, engine: Any, folder: Path, image: str, assessment: Any, references: Path) -> None:
        from evaluation import problems
        from evaluation.readers import ReadError
        from evaluation.running.scorer_declared import declared_of
        from evaluation.running.scorer_folders import references_in

        self.engine, self.folder, self.image, self.assessment = engine, folder, image, assessment
        self.shown = problems.get(assessment.problem).scorer_files.stems_and_kinds
        self.declared = declared_of(assessment)
        try:
            self.references = references_in(assessment, references)
        except (ReadError, ValueError) as error:
            raise ClientError(f"The references cannot be taken: {error}") from error
        self.starts = 0

    def values(self, folder: Path, cases: list[str]) -> dict[tuple[str, str, str], tuple[float | None, str]]:
        """Value and outcome by case, region and metric; a case without a prediction that can be read is missing."""
        from evaluation.readers import ReadError

        try:
            given = self.references.predictions(folder)
        except ReadError as error:
            raise ClientError(f"The predictions in {folder} cannot be taken: {error}") from error
        image_values: dict[tuple[str, str, str], tuple[float | None, str]] = {}
        for first in range(0, len(cases), CASES_AT_ONCE):
            image_values |= self._answered(cases[first : first + CASES_AT_ONCE], given)
        return image_values

    def _answered(self, cases: list[str], given: Any) -> dict[tuple[str, str, str], tuple[float | None, str]]:
        from confinement.containers.limits import RunLimits
        from confinement.containers.removing import remove_tree
        from confinement.containers.scoring import run_scorer
        from evaluation.running.scorer_declared import bounds_of, expected, interface_of
        from evaluation.running.scorer_rows import ScorerError, read_rows

        self.starts += 1
        lease = f"verify-{os.getpid()}-{self.starts}"
        written = self.folder / f"{lease}-files"
        written.mkdir()
        scorer_cases = {
            f"c{number:04d}": self._shown(case, number, given, written) for number, case in enumerate(cases)
        }
        limits = RunLimits(**bounds_of(self.declared))
        files = sorted({name for case in scorer_cases.values() for name in (*case.reference, *case.prediction)})
        try:
            answer = run_scorer(
                self.engine,
                self.folder / lease,
                batch=lease,
                lease=lease,
                image_id=self.image,
                cases=list(scorer_cases.values()),
                interface=interface_of(
                    self.declared,
                    list(scorer_cases),
                    stems_and_kinds=self.shown,
                    files=files,
                    limits=limits.described(),
                ),
                limits=limits,
            )
        finally:
            remove_tree(self.folder / lease)
            remove_tree(written)
        if answer.rows is None:
            raise ClientError(f"The scoring image gave no rows: {answer.failure}")
        try:
            rows = read_rows(answer.rows, expected(self.declared, list(scorer_cases)))
        except ScorerError as error:
            raise ClientError(f"The scoring image gave rows that cannot be taken: {error}") from error
        names = {metric.options["id"]: metric.name for metric in self.assessment.by_scorer}
        case_by_alias = dict(zip(scorer_cases, cases, strict=True))
        return {
            (case_by_alias[row.case], row.region or "", names[row.metric]): (row.value, str(row.outcome))
            for row in rows
        }

    def _shown(self, case: str, number: int, given: Any, written: Path) -> Any:
        from confinement.containers.scoring import ScorerCase
        from evaluation.readers import ReadError

        try:
            reference = self.references.shown(case, written / f"r{number}")
        except ReadError as error:
            raise ClientError(f"There is no reference of {case} that can be read: {error}") from error
        return ScorerCase(f"c{number:04d}", reference, given.shown(case, written / f"p{number}"))


def _differences(
    team: str, table: Any, image_values: Mapping[tuple[str, str, str], tuple[float | None, str]], assessment: Any
) -> list[str]:
    """Return the differences between a team's table and the values that the image computed now."""
    names = {metric.name for metric in assessment.by_scorer}
    differences = []
    for row in table[table["metric"].isin(names)].itertuples(index=False):
        value, outcome = image_values.get((row.case, row.region, row.metric), (None, "absent"))
        stated = None if row.value != row.value else row.value
        same = stated == value if None in (stated, value) else abs(stated - value) <= TOLERANCE * max(1, abs(stated))
        if outcome != row.outcome or not same:
            in_bundle = row.outcome if stated is None else f"{stated:.13g}"
            now = outcome if value is None else f"{value:.13g}"
            differences.append(f"{team}, {row.case}, {row.region}, {row.metric}: {in_bundle} in the bundle, {now} now.")
    return differences
