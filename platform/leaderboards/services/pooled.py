"""A ranking over sites: pooled from signed summaries, once the phase has closed. No case is in it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from challenges.models import Phase
from datastore.uploads.storage import store_json
from evaluation import boards, canonical, ranking
from evaluation.analyses import catalogue
from evaluation.federation import pool
from federation.models import Federation
from federation.queries.pooling import Pool, pool_of
from leaderboards.models import Analysis, RankingVersion
from leaderboards.services.computing import INPUTS_SCHEMA, written


@dataclass(frozen=True)
class PooledInputs:
    """Everything that a ranking over sites depends on, by digest."""

    phase: Phase
    pool: Pool
    document: dict[str, Any]

    @property
    def digest(self) -> str:
        """SHA-256 of the inputs."""
        return canonical.sha256(self.document)

    @property
    def counts(self) -> bool:
        """True if there is anything to rank, which requires that the phase has closed."""
        return self.phase.is_closed and bool(self.pool.arrived)


def collect(phase: Phase, federation: Federation) -> PooledInputs:
    """Read which summaries of a phase that is evaluated at sites count."""
    site_pool = pool_of(federation)
    document = {
        "schema": INPUTS_SCHEMA,
        "assessment": phase.assessment.digest,
        "federation": federation.identifier,
        "rules": federation.rules,
        "sites": site_pool.facts,
        "teams": [
            {"team": team, "name": name, "submission": None, "run": None, "result": None}
            for name, team in sorted(site_pool.teams.items())
        ],
    }
    return PooledInputs(phase, site_pool, document)


def compute(inputs: PooledInputs, *, progress: Callable[[int, int], None] | None = None) -> RankingVersion:
    """Pool the summaries and store the document; the returned version is unsaved and has no number yet.

    Raises
    ------
    FederationError
        When the registered rule does not permit a ranking yet, or summaries do not fit each other.
    """
    phase, assessment = inputs.phase, inputs.phase.assessment
    rules = inputs.pool.federation.rules
    document = pool(
        assessment,
        [entry.summary() for entry in inputs.pool.arrived],
        federation=inputs.pool.document,
        site_column=rules["site_column"],
        minimum=int(rules["minimum_units"]),
        progress=progress,
    )
    ranked_document = {**document, "rankings": [entry for entry in document["rankings"] if entry["algorithms"]]}
    table = boards.build(ranked_document, assessment)
    table["sites"] = len(inputs.pool.arrived)
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
        sentences=catalogue.sentences(ranked_document, table),
        table=table,
        document_name=store_json(f"{folder}/ranking.json.gz", written(json.loads(json.dumps(document)))),
    )


def finish_analysis(version: RankingVersion) -> None:
    """Figures of cases need the cases: there are none to draw."""
    Analysis.objects.create(version=version, steps=["sites"], total=1, finished_at=timezone.now())
