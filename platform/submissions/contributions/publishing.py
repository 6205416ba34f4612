"""Predictions and results that consenting teams let a challenge publish after its end."""

import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from django.contrib.auth.models import AnonymousUser

from challenges.models import Challenge
from challenges.queries import key_of, phases_of
from datasets import hooks
from datasets.hooks import Artifact, Choice
from evaluation.readers import case_name
from evaluation.wording import joined
from scoring.domain import results
from submissions.models import Run
from submissions.queries import counted_runs, told_frame
from submissions.queries.results import kept_costs, method_slug
from test_sets.domain.case_access import HIDDEN_PREDICTIONS, Reader
from test_sets.queries.test_sets import has_one_table
from test_sets.rules import access_of
from uploads.storage import local_path


def register() -> None:
    """Offer predictions and results of consenting teams."""
    hooks.artifacts.register(predictions)
    hooks.artifacts.register(case_results)
    hooks.withheld.register(withheld)


def _runs(challenge: Challenge, choice: Choice) -> Iterator[tuple[str, Run]]:
    """What counts of each consenting team in each released phase, with the key of the phase."""
    for phase in phases_of(challenge):
        if access_of(Reader.PUBLICATION, phase).values and not phase.is_dry_run:
            for run in counted_runs(phase):
                if run.submission.team_id in choice.teams:
                    run.submission.phase = phase
                    yield key_of(phase).replace("/", "-"), run


def predictions(challenge: Challenge, choice: Choice) -> Iterator[Artifact]:
    """One archive a team and phase, as it was scored; without withdrawn cases."""
    if not choice.predictions:
        return
    for key, run in _runs(challenge, choice):
        is_algorithm = run.submission.is_algorithm
        if not access_of(Reader.PUBLICATION, run.submission.phase, is_algorithm=is_algorithm).files:
            continue  # `withheld` states why
        if run.provenance.get("measured_outside"):
            continue  # there are no predictions here; the values are among the results by case
        if choice.without_cases and has_one_table(run.submission.phase.assessment):
            continue  # one table holds them all, the withdrawn ones too
        team = run.submission.team
        yield Artifact(
            f"predictions-{key}-{team.slug}{method_slug(run.submission.phase, run.submission)}.zip",
            f"predictions of {team.name} for {run.submission.phase.name}",
            partial(_copy, run, choice=choice),
        )


def withheld(challenge: Challenge, choice: Choice) -> Iterator[str]:
    """State of which phases predictions are registered for publication and not published, because images are hidden."""
    if choice.predictions:
        for phase in phases_of(challenge):
            if not phase.is_dry_run and phase.algorithms and not access_of(Reader.PUBLICATION, phase).files:
                yield HIDDEN_PREDICTIONS.format(phase=phase.name)


def _copy(run: Run, path: Path, choice: Choice) -> None:
    stored = run.submission.predictions_file or run.submission.archive_file
    with (
        zipfile.ZipFile(local_path(stored)) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as target,
    ):
        for entry in source.infolist():
            name_parts = case_name(Path(entry.filename))
            if entry.is_dir() or (name_parts is not None and name_parts[0] in choice.without_cases):
                continue
            with source.open(entry) as content, target.open(entry.filename, "w", force_zip64=True) as copy:
                while block := content.read(1 << 20):
                    copy.write(block)


def case_results(challenge: Challenge, choice: Choice) -> Iterator[Artifact]:
    """One table a team and phase, with the digest that the ranking names; without withdrawn cases, and without costs that are kept."""
    if not choice.case_results:
        return
    for key, run in _runs(challenge, choice):
        team = run.submission.team
        yield Artifact(
            f"results-{key}-{team.slug}{method_slug(run.submission.phase, run.submission)}.csv",
            f"results of {team.name} case by case, {_which(run)}",
            partial(_table, run, choice=choice),
        )


def _which(run: Run) -> str:
    """By what the table is known, or what it lacks of it."""
    withheld_metrics = kept_costs(run, AnonymousUser())
    return f"without {joined(sorted(withheld_metrics))}" if withheld_metrics else f"digest {run.result_digest}"


def _table(run: Run, path: Path, choice: Choice) -> None:
    frame = told_frame(run, AnonymousUser())
    path.write_text(results.to_csv(frame[~frame["case"].isin(list(choice.without_cases))]), encoding="utf-8")
