"""Computation of a ranking version from the results that count: read, rank, shape, store the files.

It does not write to the database.
If the registered policy does not name every team, the ranking is computed with pseudonyms of the teams in this phase.
Its digest is computed with them, too. The public bundle therefore verifies against the published digest, regardless of
the teams named later. `leaderboards.queries.names` inserts the names for display.
"""

import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import pandas as pd

from challenges.models import Phase
from challenges.queries import assessment_by_digest
from datastore.test_sets.queries import case_metadata_frame
from datastore.test_sets.queries.decoys import keeps_decoys
from datastore.test_sets.queries.grids import length_unit
from datastore.test_sets.queries.test_sets import metadata_frame_of
from datastore.uploads.storage import load_json, store_json
from evaluation import boards, bundle, canonical, ranking
from evaluation.analyses import catalogue
from evaluation.assessment import Assessment
from evaluation.assessment.columns import grouping_columns
from evaluation.ranking.counted import LEVEL
from evaluation.ranking.document import look_to_verify
from evaluation.ranking.uncertainty.looks import Look
from leaderboards.models import RankingVersion
from leaderboards.queries import rankings
from leaderboards.queries.names import PER_PHASE, PSEUDONYMOUS, uses_pseudonyms
from leaderboards.services.pseudonyms import pseudonyms_of
from submissions.models import Run
from submissions.queries import LeftOut, counted_runs, evidence_of, left_out, results_frame
from submissions.queries.methods import levels_of
from submissions.queries.results import baseline_runs, method_words, outside_tables, scoring_images

if TYPE_CHECKING:
    from evaluation.ranking.schemes import Ranked
    from evaluation.scoring.evidence import Evidence

INPUTS_SCHEMA = 1
BASELINES: Final = "baselines"
"""Key of the baselines in the inputs of a ranking. They change no rank."""
MOST_BASELINES: Final = 5
"""Maximum number of compared baselines. Each is compared in a ranking of its own."""


@dataclass(frozen=True)
class Inputs:
    """Everything a ranking depends on, by digest, and the runs to read it from.

    `names` is the name or pseudonym of each run, by its primary key: the ranking is computed, stored and digested with these.
    """

    phase: Phase
    runs: tuple[Run, ...]
    metadata: str | None
    document: dict[str, Any]
    assessment: Assessment
    names: Mapping[UUID, str]

    @property
    def digest(self) -> str:
        return canonical.sha256(self.document)

    def identical(self) -> list[list[str]]:
        """Groups of teams with the same result in every case, which are exact ties in any ranking scheme."""
        groups: dict[str, list[str]] = defaultdict(list)
        for team in self.document["teams"]:
            groups[team["result"]].append(team["name"])
        return [group for group in groups.values() if len(group) > 1]

    def frame(self) -> pd.DataFrame:
        """Read the results of all teams, each under the label of its team."""
        levels = {team["run"]: team.get("level", "") for team in self.document["teams"]}
        frames = [team_frame(run, self.names[run.pk], self.assessment, level=levels[str(run.pk)]) for run in self.runs]
        return pd.concat(frames, ignore_index=True)

    def evidence(self) -> "Evidence | None":
        """Read the components of values of the whole data set, each under the label of its team."""
        return merged_evidence((self.names[run.pk], run) for run in self.runs)


def collect(phase: Phase, *, assessment: Assessment | None = None, runs: Iterable[Run] | None = None) -> Inputs:
    """Read which results count at this moment.

    Parameters
    ----------
    assessment, runs
        Another assessment than the one that the phase executes, and the results to rank by it.
    """
    assessment = assessment or phase.assessment
    counted = counted_runs(phase) if runs is None else runs
    runs = tuple(sorted(counted, key=lambda run: run.submission.team_id))
    metadata = _metadata(phase, assessment, runs)
    names = names_of(phase, runs)
    if uses_pseudonyms(phase):
        # The order of teams by their primary keys would be the same in every phase.
        runs = tuple(sorted(runs, key=lambda run: names[run.pk]))
    # What stands beside a team, and who is ranked apart, changes with what its method description says.
    levels = levels_of(phase) if phase.interaction else {}
    document = {
        "schema": INPUTS_SCHEMA,
        # Of the document that is executed, whatever the phase says that it is.
        "assessment": assessment.digest,
        "resampling": ranking.RESAMPLING_VERSION,
        "metadata": None if metadata is None else canonical.sha256(metadata),
        # All runs are against one version: where the test set was replaced, rankings tell which they are of.
        "test_set": runs[0].test_set.version if runs else None,
        "teams": [
            {
                "team": run.submission.team_id,
                "name": names[run.pk],
                "submission": str(run.submission_id),
                "run": str(run.pk),
                "result": run.result_digest,
                **({"method": run.submission.method_number} if method_words(phase, run.submission) else {}),
                **({"level": levels[run.submission.team_id]} if run.submission.team_id in levels else {}),
            }
            for run in runs
        ],
    }
    if outside := outside_tables(runs, names):
        document[bundle.MEASURED_OUTSIDE] = outside
    if images := scoring_images(runs):
        document[bundle.SCORERS] = images
    if missing := left_out(phase):
        document["left_out"] = _left_out_by_name(phase, missing)
    if uses_pseudonyms(phase):
        document[PSEUDONYMOUS] = PER_PHASE
    if runs and (baselines := baseline_runs(phase, runs[0].test_set.version)):
        document[BASELINES] = [
            {
                "team": run.submission.team_id,
                "name": run.submission.team.name,
                "submission": str(run.submission_id),
                "run": str(run.pk),
                "result": run.result_digest,
            }
            for run in baselines[:MOST_BASELINES]
        ]
    return Inputs(phase=phase, runs=runs, metadata=metadata, document=document, assessment=assessment, names=names)


def compute(
    inputs: Inputs,
    *,
    progress: Callable[[int, int], None] | None = None,
    cache: "MutableMapping[int, Ranked] | None" = None,
) -> RankingVersion:
    """Rank and store the files; the version returned is not saved and has no number yet.

    Parameters
    ----------
    cache
        Tables that were computed before, and where those that are computed now are put.
    """
    phase, assessment = inputs.phase, inputs.assessment
    frame = inputs.frame()
    cases = read_metadata(inputs.metadata)
    document = ranking.rank(
        assessment,
        frame,
        cases=cases,
        evidence=inputs.evidence(),
        progress=progress,
        ranked_tables=cache,
        look=look_of(phase, inputs.document),
    )
    table = boards.build(
        document,
        assessment,
        identical=inputs.identical(),
        entries=rankings.entries_of(phase, inputs.runs, inputs.names),
        length_unit=length_unit(phase),
    )
    folder = f"rankings/{phase.pk}/{inputs.digest}"
    return RankingVersion(
        phase=phase,
        inputs=inputs.document,
        inputs_digest=inputs.digest,
        assessment_digest=assessment.digest,
        seed=document["seed"],
        bootstrap=document["bootstrap"],
        cases=table["cases"],
        digest=ranking.digest(document),
        versions=document["versions"],
        sentences=catalogue.sentences(document, table),
        table=table,
        metadata_name=""
        if inputs.metadata is None
        else store_json(f"{folder}/cases.json.gz", json.dumps(inputs.metadata)),
        document_name=store_json(f"{folder}/ranking.json.gz", written(document)),
    )


def look_of(phase: Phase, document: Mapping[str, Any] | None = None) -> Look | None:
    """Return which change of the field the next version shows; ``None`` if nobody sees an earlier one.

    Each version of a public ranking is a look at the same cases, and they share the error. A ranking that is sealed until
    the phase closes, or that is computed only afterwards, is a single claim with the whole error. A version in which only
    baselines differ makes the same claims as the last one, and is no further look.

    Parameters
    ----------
    document
        Inputs of the next version; ``None`` if at least one team differs.
    """
    if phase.leaderboard == Phase.Leaderboard.SEALED or keeps_decoys(phase):
        return None
    if phase.is_closed and not rankings.was_ranked_before(phase, phase.ends_at):
        return None
    last = rankings.last_version(phase)
    if last is None:
        return Look(1)
    if document is not None and _without_baselines(last.inputs) == _without_baselines(document):
        return look_to_verify(load_json(last.document_name))
    return Look(last.number + 1)


def _without_baselines(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != BASELINES}


def team_frame(run: Run, name: str, assessment: Assessment, *, level: str) -> pd.DataFrame:
    """Return the results of a run under the label of its team, with the level of interaction if it matters."""
    return as_team(results_frame(run), name, assessment, level=level)


def merged_evidence(named: Iterable[tuple[str, Run]]) -> "Evidence | None":
    """Read what values of the whole data set are made of, of all teams, each under the name given; None where no result has any."""
    run_evidence = [(name, evidence_of(run)) for name, run in named]
    team_evidence = [(name, evidence.renamed(name)) for name, evidence in run_evidence if evidence is not None]
    if not team_evidence:
        return None
    # Here, so that pages start without the libraries of scoring.
    from evaluation.scoring.evidence import merge_evidence

    return merge_evidence(team_evidence)


def as_team(frame: pd.DataFrame, name: str, assessment: Assessment, *, level: str) -> pd.DataFrame:
    frame = frame.assign(algorithm=name)
    return frame.assign(**{LEVEL: level}) if assessment.interaction_weights else frame


def assessment_of(version: RankingVersion) -> Assessment:
    """Return the assessment of a version, even if the phase later received another assessment."""
    return assessment_by_digest(version.phase, version.assessment_digest) or version.phase.assessment


def written(document: Mapping[str, Any]) -> str:
    """Write a ranking document; its numbers are in canonical form already."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def names_of(phase: Phase, runs: Sequence[Run]) -> dict[UUID, str]:
    """Name or pseudonym of each run in a ranking by its primary key, with the method of the team where several are ranked."""
    if not uses_pseudonyms(phase):
        return {run.pk: run.submission.team.name + method_words(phase, run.submission) for run in runs}
    words = pseudonyms_of(phase, {run.submission.team_id for run in runs})
    return {run.pk: words[run.submission.team_id] + method_words(phase, run.submission) for run in runs}


def _left_out_by_name(phase: Phase, missing: Sequence[LeftOut]) -> list[dict[str, Any]]:
    """Teams that a ranking excludes, as its inputs list them."""
    if not uses_pseudonyms(phase):
        return [entry.document() for entry in missing]
    words = pseudonyms_of(phase, {entry.team for entry in missing})
    return [replace(entry, name=words[entry.team]).document() for entry in missing]


def _metadata(phase: Phase, assessment: Assessment, runs: Sequence[Run]) -> str | None:
    """Write the case metadata of the ranking as CSV, the form in which it is ranked, stored and published."""
    columns = grouping_columns(assessment)
    if not columns:
        return None
    return characteristics(phase, runs)[["case", *columns]].to_csv(index=False, lineterminator="\n")


def characteristics(phase: Phase, runs: Sequence[Run]) -> pd.DataFrame:
    """Return the metadata of the cases on which the runs were scored, even of an earlier test set version."""
    return metadata_frame_of(runs[0].test_set) if runs else case_metadata_frame(phase)


def read_metadata(text: str | None) -> pd.DataFrame | None:
    """Read case metadata as text, so that no identifier is taken for a number."""
    return None if text is None else pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the differences between the inputs of two rankings.

    Examples
    --------
    >>> first = {"assessment": "a", "teams": [{"team": 1, "name": "Uma", "result": "x"}]}
    >>> second = {"assessment": "a", "teams": [{"team": 1, "name": "Uma", "result": "y"}, {"team": 2, "name": "Vic", "result": "z"}]}
    >>> changes(first, second)
    {'added': ['Vic'], 'removed': [], 'changed': ['Uma'], 'teams': 2, 'assessment': False, 'test_set': None}
    """
    # A team may be ranked by several methods.
    old = {(team["team"], team.get("method")): team for team in before["teams"]} if before else {}
    new = {(team["team"], team.get("method")): team for team in after["teams"]}
    return {
        "added": [team["name"] for key, team in new.items() if key not in old],
        "removed": [team["name"] for key, team in old.items() if key not in new],
        "changed": [team["name"] for key, team in new.items() if key in old and old[key]["result"] != team["result"]],
        "teams": len(new),
        "assessment": before is not None and before["assessment"] != after["assessment"],
        "test_set": after.get("test_set") if before and before.get("test_set") != after.get("test_set") else None,
    }
