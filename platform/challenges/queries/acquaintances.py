"""Relations between people in challenges, which calls count as a conflict of interest."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from challenges.models import Member, Organizer


def together(first: Collection[int], second: Collection[int]) -> set[tuple[int, int]]:
    """Pairs of people who were in a team together, organized together, or took part in the other's challenge.

    Parameters
    ----------
    first, second
        User ids; a pair has one of each. The number of queries does not depend on theirs.
    """
    everybody = {*first, *second}
    members = list(Member.everybody.filter(user__in=everybody).values_list("user", "team", "challenge"))
    organizers = list(Organizer.objects.filter(user__in=everybody).values_list("user", "challenge"))
    groups: dict[tuple[str, int], set[int]] = defaultdict(set)
    for user, team, _ in members:
        groups["team", team].add(user)
    organized: dict[int, set[int]] = defaultdict(set)
    for user, challenge in organizers:
        organized[challenge].add(user)
    pairs = _crossed(groups.values(), first, second) | _crossed(organized.values(), first, second)
    for user, _, challenge in members:
        for organizer in organized[challenge]:
            pairs |= {(a, b) for a, b in ((user, organizer), (organizer, user)) if a in first and b in second}
    return pairs


def _crossed(groups: Iterable[set[int]], first: Collection[int], second: Collection[int]) -> set[tuple[int, int]]:
    return {(a, b) for group in groups for a in group & set(first) for b in group & set(second) if a != b}
