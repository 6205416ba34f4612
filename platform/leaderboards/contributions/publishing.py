"""Predictions and results that consenting teams let a challenge publish after its end.

Files are named by the name of their team or by its pseudonym in the phase, as the ranking of the phase shows it now.
"""

import posixpath
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.contrib.auth.models import AnonymousUser
from django.utils.text import slugify

from challenges.models import Challenge, Phase
from challenges.queries import key_of, label_of, phases_of
from datastore.datasets import hooks
from datastore.datasets.hooks import Artifact, Choice, Named
from datastore.test_sets.domain.case_access import HIDDEN_PREDICTIONS, Reader
from datastore.test_sets.queries.test_sets import has_one_table
from datastore.test_sets.rules import access_of
from datastore.uploads.storage import local_path
from evaluation.readers import case_name
from evaluation.readers.dicom import is_dicom
from evaluation.readers.dicom.parts import ENDINGS, HEAD_BYTES
from evaluation.wording import joined
from executions.scoring.domain import results
from leaderboards.queries.names import is_pseudonym, named_teams
from leaderboards.services.pseudonyms import pseudonyms_of
from submissions.models import Run
from submissions.queries import counted_runs, told_frame
from submissions.queries.results import kept_costs, method_slug


def register() -> None:
    """Offer predictions and results of consenting teams."""
    hooks.artifacts.register(predictions)
    hooks.artifacts.register(case_results)
    hooks.named.register(named)
    hooks.withheld.register(withheld)


@dataclass(frozen=True)
class Published:
    """A result that counts, of a consenting team in a released phase.

    Attributes
    ----------
    label
        Name or pseudonym of the team, without its method.
    """

    run: Run
    label: str

    @property
    def phase(self) -> Phase:
        """The phase it was submitted to."""
        return self.run.submission.phase

    @property
    def is_named(self) -> bool:
        """True if the label is the name of the team."""
        return not is_pseudonym(self.label)

    @property
    def named(self) -> Named | None:
        """The team as its files name it; none for a pseudonym."""
        return Named(self.phase.pk, self.label) if self.is_named else None

    @property
    def stem(self) -> str:
        """The end of the names of its files: phase, team and method."""
        submission = self.run.submission
        team = submission.team.slug if self.is_named else slugify(self.label)
        return f"{key_of(self.phase).replace('/', '-')}-{team}{method_slug(self.phase, submission)}"


def named(challenge: Challenge) -> Iterator[Named]:
    """Teams that may be named now, by phase."""
    teams = {team.pk: team.name for team in challenge.teams.all()}
    for phase in phases_of(challenge):
        yield from (Named(phase.pk, teams[team]) for team in named_teams(phase, teams))


def _published(challenge: Challenge, choice: Choice) -> Iterator[Published]:
    """The results that count of each consenting team in each released phase, in the order of the names shown."""
    for phase in phases_of(challenge):
        if phase.is_dry_run or not access_of(Reader.PUBLICATION, phase).values:
            continue
        runs = [run for run in counted_runs(phase) if run.submission.team_id in choice.teams]
        labels = _labels(phase, {run.submission.team_id: run.submission.team.name for run in runs})
        for run in sorted(runs, key=lambda run: (labels[run.submission.team_id], run.submission.method_number or 0)):
            run.submission.phase = phase
            yield Published(run, labels[run.submission.team_id])


def _labels(phase: Phase, teams: Mapping[int, str]) -> dict[int, str]:
    """Name or pseudonym of teams by primary key."""
    named_ids = named_teams(phase, teams)
    words = pseudonyms_of(phase, set(teams) - named_ids)
    return {team: name if team in named_ids else words[team] for team, name in teams.items()}


def predictions(challenge: Challenge, choice: Choice) -> Iterator[Artifact]:
    """One archive a team and phase, as it was scored; without withdrawn cases."""
    if not choice.predictions:
        return
    for entry in _published(challenge, choice):
        run = entry.run
        if not access_of(Reader.PUBLICATION, entry.phase, is_algorithm=run.submission.is_algorithm).files:
            continue  # `withheld` states why
        if run.provenance.get("measured_outside"):
            continue  # there are no predictions here; the values are among the results by case
        if choice.without_cases and has_one_table(run.submission.phase.assessment):
            continue  # one table holds them all, the withdrawn ones too
        yield Artifact(
            f"predictions-{entry.stem}.zip",
            f"predictions of {entry.label} for {label_of(entry.phase)}",
            partial(_copy, run, choice=choice, keeps_folder=entry.is_named),
            entry.named,
        )


def withheld(challenge: Challenge, choice: Choice) -> Iterator[str]:
    """State of which phases predictions are registered for publication and not published, because images are hidden."""
    if choice.predictions:
        for phase in phases_of(challenge):
            if not phase.is_dry_run and phase.algorithms and not access_of(Reader.PUBLICATION, phase).files:
                yield HIDDEN_PREDICTIONS.format(phase=label_of(phase))


def _copy(run: Run, path: Path, choice: Choice, *, keeps_folder: bool) -> None:
    """Copy an archive of predictions; without the folder around all files, which teams often give their name."""
    stored = run.submission.predictions_file or run.submission.archive_file
    with (
        zipfile.ZipFile(local_path(stored)) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as target,
    ):
        around = "" if keeps_folder else _folder_around([entry for entry in source.namelist() if entry[-1:] != "/"])
        for entry in source.infolist():
            name_parts = case_name(Path(entry.filename))
            if entry.is_dir() or (name_parts is not None and name_parts[0] in choice.without_cases):
                continue
            if _may_name_patients(entry.filename, source):
                continue
            copied_name = entry.filename.removeprefix(around)
            with source.open(entry) as content, target.open(copied_name, "w", force_zip64=True) as copy:
                while block := content.read(1 << 20):
                    copy.write(block)


def _may_name_patients(name: str, source: zipfile.ZipFile) -> bool:
    """Return whether a file is in DICOM, whose tags can name patients; by its ending or its first bytes."""
    if name.lower().endswith((".dcm", *ENDINGS)):
        return True
    with source.open(name) as content:
        return is_dicom(content.read(HEAD_BYTES))


def _folder_around(names: Sequence[str]) -> str:
    """The folders that contain all files of an archive, with a slash at the end; empty where there is none.

    Examples
    --------
    >>> _folder_around(["ada/final/1.nii", "ada/final/2.nii"]), _folder_around(["ada/1.nii", "2.nii"])
    ('ada/final/', '')
    """
    common = posixpath.commonpath([posixpath.dirname(name) for name in names]) if names else ""
    return f"{common}/" if common else ""


def case_results(challenge: Challenge, choice: Choice) -> Iterator[Artifact]:
    """One table a team and phase, with the digest that the ranking names; without withdrawn cases, and without costs that are kept."""
    if not choice.case_results:
        return
    for entry in _published(challenge, choice):
        yield Artifact(
            f"results-{entry.stem}.csv",
            f"results of {entry.label} case by case, {_which(entry.run)}",
            partial(_table, entry, choice=choice),
            entry.named,
        )


def _which(run: Run) -> str:
    """By what the table is known, or what it lacks of it."""
    withheld_metrics = kept_costs(run, AnonymousUser())
    return f"without {joined(sorted(withheld_metrics))}" if withheld_metrics else f"digest {run.result_digest}"


def _table(entry: Published, path: Path, choice: Choice) -> None:
    frame = told_frame(entry.run, AnonymousUser()).assign(algorithm=entry.label)
    path.write_text(results.to_csv(frame[~frame["case"].isin(list(choice.without_cases))]), encoding="utf-8")
