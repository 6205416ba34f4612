"""References that a challenge publishes after its end."""

import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from challenges.models import Challenge, Phase
from challenges.queries import key_of, label_of, phases_of
from datastore.datasets import hooks
from datastore.datasets.hooks import Artifact, Choice
from datastore.test_sets import vault
from datastore.test_sets.domain.case_access import Reader
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries.test_sets import has_one_table, is_scored_here
from datastore.test_sets.rules import access_of
from evaluation.assessment.columns import grouping_columns
from web.spreadsheets import csv_text


def register() -> None:
    """Offer the references of every phase."""
    hooks.artifacts.register(references)


def references(challenge: Challenge, choice: Choice) -> Iterator[Artifact]:
    """One archive a phase: the references of its scored cases and what is known of them; without withdrawn cases."""
    if not choice.references:
        return
    for phase in phases_of(challenge):
        test_set = TestSet.objects.filter(phase=phase, is_active=True).first()
        if test_set is None or not access_of(Reader.PUBLICATION, phase).reference_files:
            continue
        if not is_scored_here(phase):
            continue  # cases are listed here, and their references lie elsewhere
        if choice.without_cases and has_one_table(phase.assessment):
            continue  # one table holds them all, the withdrawn ones too
        yield Artifact(
            f"references-{_slug(phase)}.zip",
            f"references of {label_of(phase)}, version {test_set.version}, manifest {test_set.manifest_digest}",
            partial(_write, test_set=test_set, choice=choice),
        )


def _slug(phase: Phase) -> str:
    return key_of(phase).replace("/", "-")


def _write(path: Path, test_set: TestSet, choice: Choice) -> None:
    cases = list(test_set.cases.filter(is_decoy=False).exclude(name__in=choice.without_cases).order_by("position"))
    # What the ranking groups by is in every public bundle; what else is known of a case, nobody promised to publish.
    columns = grouping_columns(test_set.phase.assessment)
    is_table, written = has_one_table(test_set.phase.assessment), set()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        for case in cases:
            stored = PurePosixPath(case.reference_file.removesuffix(vault.SUFFIX)).name
            ending = stored[stored.index(".") :] if "." in stored else ""
            name = stored if is_table else f"{case.name}{ending}"
            if name in written:
                continue
            written.add(name)
            with vault.opened(case.reference_file) as plain:
                archive.write(plain, f"references/{name}")
        rows = ([case.name, *(case.metadata.get(column, "") for column in columns)] for case in cases)
        archive.writestr("cases.csv", csv_text(["case", *columns], rows))
