"""Check whether a published version names a team that may not be named any more."""

from challenges.models import Phase
from datastore.datasets import hooks
from datastore.datasets.models import Dataset, DatasetVersion


def names_are_allowed(version: DatasetVersion) -> bool:
    """Return whether every team that the files of a version name may be named now.

    Versions without files of teams name none.
    """
    if version.dataset.split != Dataset.Split.PUBLISHED or version.released_at is None:
        return True
    challenge = version.dataset.challenge
    phases = Phase.objects.filter(task__challenge=challenge).exclude(announcement=Phase.Announcement.ALL)
    if not phases.exists():
        return True
    # Files that were published before names were noted contain the names of all their teams.
    if version.named is None:
        return False
    allowed = {named.entry for provider in hooks.named for named in provider(challenge)}
    return allowed.issuperset(version.named)
