"""From the results that count to a ranking version: read, rank, shape, store the files. No database writes."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pandas as pd

from challenges.models import Phase
from challenges.queries import assessment_by_digest
from evaluation import bundle, canonical, ranking
from evaluation.analyses import catalogue, order_figures
from evaluation.analyses.sources import Figure, Sources
from evaluation.assessment import Assessment
from evaluation.figures.markup import for_plotly
from evaluation.ranking.counted import LEVEL, counted_results
from leaderboards.domain import tables
from leaderboards.domain.files import load, read_metadata, store
from leaderboards.models import RankingVersion
from leaderboards.queries import rankings
from leaderboards.services import announcing
from submissions.models import Run
from submissions.queries import annotator_evidence, annotator_frames, counted_runs, evidence_of, left_out, results_frame
from submissions.queries.methods import levels_of
from submissions.queries.results import method_words, outside_tables, scoring_images
from test_sets.queries import case_metadata_frame
from test_sets.queries.test_sets import deciding_annotator, metadata_frame_of

if TYPE_CHECKING:
    from evaluation.ranking.schemes import Ranked
    from evaluation.scoring.evidence import Evidence

INPUTS_SCHEMA = 1
"""Digits compress little; more effort costs seconds on a large ranking and saves a few per cent."""
HISTORY_LENGTH = 200
"""So many of the last rankings are followed in the figure; all of them stay readable."""


@dataclass(frozen=True)
class Inputs:
    """Everything a ranking depends on, by digest, and the runs to read it from.

    `names` is what stands for each run, by its primary key: the ranking is computed, digested and published with these,
    so that names which are not public stand nowhere in it.
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
        """Groups of teams with the same result in every case: exact ties, whatever the ranking scheme."""
        groups: dict[str, list[str]] = defaultdict(list)
        for team in self.document["teams"]:
            groups[team["result"]].append(team["name"])
        return [group for group in groups.values() if len(group) > 1]

    def frame(self) -> pd.DataFrame:
        """Read the results of all teams, each under what stands for its team."""
        levels = {team["run"]: team.get("level", "") for team in self.document["teams"]}
        frames = [team_frame(run, self.names[run.pk], self.assessment, level=levels[str(run.pk)]) for run in self.runs]
        return pd.concat(frames, ignore_index=True)

    def evidence(self) -> "Evidence | None":
        """Read what values of the whole data set are made of, of all teams; None where no result has any."""
        # Here, so that pages start without the libraries of scoring.
        from evaluation.scoring.evidence import merge_evidence

        found = [(self.names[run.pk], evidence_of(run)) for run in self.runs]
        named = [(name, evidence) for name, evidence in found if evidence is not None]
        return merge_evidence(named) if named else None


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
    names = announcing.names_of(phase, assessment, runs, metadata)
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
        document["left_out"] = announcing.left_out_in_public(phase, missing)
    return Inputs(phase=phase, runs=runs, metadata=metadata, document=document, assessment=assessment, names=names)


def compute(
    inputs: Inputs,
    *,
    progress: Callable[[int, int], None] | None = None,
    kept: "MutableMapping[int, Ranked] | None" = None,
) -> RankingVersion:
    """Rank and store the files; the version returned is not saved and has no number yet.

    Parameters
    ----------
    kept
        Tables that were computed before, and where those that are computed now are put.
    """
    phase, assessment = inputs.phase, inputs.assessment
    frame = inputs.frame()
    cases = read_metadata(inputs.metadata)
    document = ranking.rank(assessment, frame, cases=cases, evidence=inputs.evidence(), progress=progress, kept=kept)
    table = tables.build(
        document,
        assessment,
        identical=inputs.identical(),
        entries=rankings.entries_of(phase, inputs.runs, inputs.names),
        length_unit=rankings.length_unit(phase),
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
        metadata_name="" if inputs.metadata is None else store(f"{folder}/cases.json.gz", json.dumps(inputs.metadata)),
        document_name=store(f"{folder}/ranking.json.gz", written(document)),
    )


def team_frame(run: Run, name: str, assessment: Assessment, *, level: str) -> pd.DataFrame:
    """The results of a run under what stands for its team; with the level of interaction where that weighs."""
    return _as_team(results_frame(run), name, assessment, level=level)


def _as_team(frame: pd.DataFrame, name: str, assessment: Assessment, *, level: str) -> pd.DataFrame:
    frame = frame.assign(algorithm=name)
    return frame.assign(**{LEVEL: level}) if assessment.interaction_weights else frame


def assessment_of(version: RankingVersion) -> Assessment:
    """What a version was ranked by, also after the phase got another assessment."""
    return assessment_by_digest(version.phase, version.assessment_digest) or version.phase.assessment


def written(document: Mapping[str, Any]) -> str:
    """Write a ranking document; its numbers are in canonical form already."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sources_of(version: RankingVersion, *, kept: frozenset[str] = frozenset()) -> Sources:
    """Read again what a version was made of, and what is known of its cases.

    Parameters
    ----------
    kept
        Metrics whose values of single cases may not be told to whom it is for.
    """
    phase = version.phase
    runs = Run.objects.select_related("submission__team", "test_set").in_bulk(
        [team["run"] for team in version.inputs["teams"]]
    )
    by_id = {str(key): run for key, run in runs.items()}
    assessment = assessment_of(version)
    frames = [
        team_frame(by_id[team["run"]], team["name"], assessment, level=team.get("level", ""))
        for team in version.inputs["teams"]
    ]
    of_teams = [(team["name"], by_id[team["run"]]) for team in version.inputs["teams"]]
    annotated = _by_annotator(of_teams, assessment, [team.get("level", "") for team in version.inputs["teams"]])
    metadata = read_metadata(load(version.metadata_name)) if version.metadata_name else None
    return Sources(
        document=load(version.document_name),
        assessment=assessment,
        results=_of_cases(assessment, pd.concat(frames, ignore_index=True), metadata),
        cases=metadata,
        characteristics=_characteristics(phase, list(runs.values())),
        length_unit=rankings.length_unit(phase),
        read_evidence=lambda: _merged_evidence(of_teams),
        annotated_results=annotated,
        kept=kept,
        annotated_evidence=_annotated_evidence(of_teams) if annotated else {},
        deciding_annotator=deciding_annotator(of_teams[0][1].test_set) if annotated else "",
    )


def _merged_evidence(runs: Sequence[tuple[str, Run]]) -> "Evidence | None":
    """Read what values of the whole data set are made of, of all teams; None where no result has any."""
    from evaluation.scoring.evidence import merge_evidence

    there = [(team, evidence_of(run)) for team, run in runs]
    found = [(team, evidence.renamed(team)) for team, evidence in there if evidence is not None]
    return merge_evidence(found) if found else None


def _of_cases(assessment: Assessment, results: pd.DataFrame, cases: pd.DataFrame | None) -> pd.DataFrame:
    """Leave out what figures of single cases must not show: the cases that do not count."""
    single = results[results["case"] != ""]
    if not assessment.exclusions or single.empty:
        return results
    counted = counted_results(assessment, single, cases=cases).results
    return pd.concat([counted, results[results["case"] == ""]], ignore_index=True)


def _by_annotator(
    runs: Sequence[tuple[str, Run]], assessment: Assessment, levels: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Read the results of all teams under the references of each annotator; of annotators that all were scored by."""
    found: dict[str, list[pd.DataFrame]] = defaultdict(list)
    for (team, run), level in zip(runs, levels, strict=True):
        for annotator, frame in annotator_frames(run).items():
            found[annotator].append(_as_team(frame, team, assessment, level=level))
    return {
        name: pd.concat(frames, ignore_index=True) for name, frames in sorted(found.items()) if len(frames) == len(runs)
    }


def _annotated_evidence(runs: Sequence[tuple[str, Run]]) -> "dict[str, Evidence]":
    """Read what the values of the whole data set are made of, of all teams by annotator."""
    from evaluation.scoring.evidence import merge_evidence

    found: dict[str, list[tuple[str, Evidence]]] = defaultdict(list)
    for team, run in runs:
        for annotator, own in annotator_evidence(run).items():
            found[annotator].append((team, own))
    return {name: merge_evidence(own) for name, own in found.items()}


def store_figures(version: RankingVersion, name: str, drawn: Iterable[tuple[str, Figure]]) -> dict[str, str]:
    """Keep the figures of one kind; returns order → file."""
    folder = f"rankings/{version.phase_id}/{version.inputs_digest}/figures"
    return {
        key: store(
            f"{folder}/{name}-{index}.json.gz", json.dumps(for_plotly(figure), separators=(",", ":"), allow_nan=False)
        )
        for index, (key, figure) in enumerate(drawn)
    }


def store_subgroups(version: RankingVersion, sources: Sources) -> list[dict[str, Any]]:
    """Keep the table and the sentences of every group of cases; returns what can be chosen, with who is first in each."""
    groups = [
        (grouping, label, document) for grouping in sources.subgroups for label, document in grouping.documents.items()
    ]
    parts = [(f"{grouping.title}:{label}", grouping.title, label, document) for grouping, label, document in groups]
    choices = store_parts(version, sources, "groups", parts)
    gaps = {
        grouping.title: {order["key"]: grouping.gaps(order) for order in version.table["orders"]}
        for grouping in sources.subgroups
    }
    for choice, (grouping, label, document) in zip(choices, groups, strict=True):
        choice["gaps"] = {key: own[label] for key, own in gaps[grouping.title].items() if label in own}
        choice["first"] = {
            order["key"]: [algorithm["name"] for algorithm in entry["algorithms"] if algorithm["rank"] == 1]
            for order, entry in catalogue.orders_of(document, version.table)
        }
    return choices


def store_annotators(version: RankingVersion, sources: Sources) -> list[dict[str, Any]]:
    """Keep the table and the sentences under the references of each annotator; returns what can be chosen, and who cannot."""
    parts = [(name, "annotator", name, document) for name, document in sources.annotated.items()]
    choices = store_parts(version, sources, "annotators", parts)
    for choice in choices:
        choice["decides"] = choice["key"] == sources.deciding_annotator
    return choices + [{"key": "", "label": name, "problem": problem} for name, problem in sources.unranked.items()]


def store_parts(
    version: RankingVersion,
    sources: Sources,
    folder: str,
    parts: Iterable[tuple[str, str, str, Mapping[str, Any]]],
) -> list[dict[str, Any]]:
    """Keep the tables of ranking documents beside that of a version, each given with its key, title and label."""
    kept = [name for name in ("submissions", "handed_in", "marks") if name in version.table]
    places = {team: place for place, team in enumerate(version.table["teams"])}
    choices: list[dict[str, Any]] = []
    for key, title, label, document in parts:
        table = tables.build(document, sources.assessment, length_unit=sources.length_unit)
        table |= {name: [version.table[name][places[team]] for team in table["teams"]] for name in kept}
        content = {
            "table": table,
            "sentences": catalogue.sentences(document, table),
            "bootstrap": document["bootstrap"],
        }
        name = f"rankings/{version.phase_id}/{version.inputs_digest}/{folder}/{len(choices)}.json.gz"
        choices.append(
            {
                "key": key,
                "title": title,
                "label": label,
                "cases": table["cases"],
                "file": store(name, json.dumps(content)),
            }
        )
    return choices


def draw_history(phase: Phase) -> None:
    """Draw the ranks of the teams through the last rankings that stood; one file a phase, drawn anew each time."""
    standings = rankings.last_tables(phase, most=HISTORY_LENGTH)
    if standings:
        figure = order_figures.over_time([(since.isoformat(), table) for since, table in standings])
        store(history_name(phase), json.dumps(for_plotly(figure), separators=(",", ":"), allow_nan=False))


def history_name(phase: Phase) -> str:
    """Where the figure of a phase's history is kept."""
    return f"rankings/{phase.pk}/history.json.gz"


def _metadata(phase: Phase, assessment: Assessment, runs: Sequence[Run]) -> str | None:
    """Write the case metadata that the ranking depends on as CSV, the form in which it is ranked, kept and handed out."""
    columns = assessment.grouping_columns
    if not columns:
        return None
    return _characteristics(phase, runs)[["case", *columns]].to_csv(index=False, lineterminator="\n")


def _characteristics(phase: Phase, runs: Sequence[Run]) -> pd.DataFrame:
    """What is known of the cases that the runs were scored on, which may be an earlier version of the test set."""
    return metadata_frame_of(runs[0].test_set) if runs else case_metadata_frame(phase)


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> dict[str, Any]:
    """Say in which inputs two rankings differ.

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
