"""Celery wrappers around the services."""

from celery import shared_task

from leaderboards.services import analyses, following, public_rankings, rankings, suspects


@shared_task(name="leaderboards.tasks.rank_phase")
def rank_phase(phase_id: int) -> None:
    """Bring the ranking of a phase up to date."""
    rankings.rank_phase(phase_id=phase_id)


@shared_task(name="leaderboards.tasks.follow_phase")
def follow_phase(phase_id: int) -> None:
    """Do what follows the rankings of a phase."""
    following.follow_phase(phase_id=phase_id)


@shared_task(name="leaderboards.tasks.analyse_version")
def analyse_version(version_id: int) -> None:
    """Make the figures and comparisons of a ranking version."""
    analyses.analyse_version(version_id=version_id)


@shared_task(name="leaderboards.tasks.search_suspects")
def search_suspects(phase_id: int) -> None:
    """Look for suspect references of a phase."""
    suspects.search(phase_id=phase_id)


@shared_task(name="leaderboards.tasks.sweep")
def sweep() -> None:
    """Notify participants of final rankings that became public."""
    public_rankings.tell_of_public_rankings()
