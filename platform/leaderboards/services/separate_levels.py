"""The registered separate ranking of fully automatic methods, beside that of all methods."""

from typing import Any, Final

from challenges.models import Phase
from evaluation.analyses.sources import Sources
from evaluation.ranking import ResultsError, rank
from leaderboards.models import RankingVersion
from leaderboards.services.computing import store_parts

AUTOMATIC: Final = "fully_automatic"
LABEL: Final = "fully automatic methods"
FEWEST: Final = 2


def store_separate_ranking(version: RankingVersion, sources: Sources) -> list[dict[str, Any]]:
    """Rank the teams whose method descriptions say that their method is fully automatic among themselves.

    Returns what can be chosen, or why there is none; nothing where no separate ranking is registered.
    """
    if version.phase.interaction != Phase.Interaction.SEPARATE:
        return []
    teams = {team["name"] for team in version.inputs["teams"] if team.get("level") == AUTOMATIC}

    def none(problem: str) -> list[dict[str, Any]]:
        return [{"key": "", "label": LABEL, "problem": problem}]

    if len(teams) < FEWEST:
        return none("fewer than two teams say that their method is fully automatic.")
    try:
        document = rank(
            sources.assessment,
            sources.results[sources.results["algorithm"].isin(teams)],
            cases=sources.cases,
            evidence=sources.evidence,
            bootstrap=version.bootstrap,
            seed=version.seed,
        )
    except ResultsError as error:
        return none(str(error))
    return store_parts(version, sources, "levels", [(AUTOMATIC, "level of interaction", LABEL, document)])
