"""Rules of phases from the section on participation of a design."""

import re
from collections.abc import Mapping
from typing import Any, Final

from challenges.domain.problems import Problem
from challenges.models import Phase
from evaluation.designs.document import State, Values


def rules_of_phases(values: Values, problems: list[Problem]) -> dict[str, dict[str, Any]] | None:
    """Quotas, visibility and conditions of the test phase, of those before it, and of open calls; ``None`` with problems."""
    before = len(problems)
    limit = values.get("max_submissions")
    entry = values.entry("max_submissions")
    if limit is None and entry.state is State.BLANK:
        problems.append(Problem("max_submissions", "state how often a team may submit, or that there is no limit"))
    counted = _choice(values, "counted_submission_rule")
    if counted is None and limit not in (None, 1):
        problems.append(Problem("counted_submission_rule", "state which of several submissions is ranked"))
    if counted is not None and counted not in _COUNTS:
        problems.append(
            Problem(
                "counted_submission_rule",
                "the platform ranks the last or the best submission, or one that the team chooses",
            )
        )
    methods = int(values.get("max_methods_per_team") or 1)
    if methods > 1 and counted != "selected_by_team":
        text = "several methods of a team are told apart by the submissions that it chooses: state that teams choose"
        problems.append(Problem("max_methods_per_team", text))
    if methods > MOST_METHODS:
        problems.append(Problem("max_methods_per_team", f"at most {MOST_METHODS} methods of a team are ranked"))
    incomplete = _choice(values, "incomplete_submissions_allowed")
    if incomplete not in _INCOMPLETE:
        text = "missing cases cannot be ignored" if incomplete == "yes_ignored" else "state it"
        problems.append(Problem("incomplete_submissions_allowed", text))
    announcement, announced_ranks = _announcement(values, problems)
    if len(problems) > before:
        return None
    common = {
        "counts": _COUNTS.get(counted, Phase.Counts.LAST),
        "incomplete_allowed": _INCOMPLETE[incomplete] and values.get("missing_data_handling") != "not_allowed",
        "submissions_per_day": None,
        "reveals_cases": False,
        "reveals_at": None,
        "feedback": Phase.Feedback.EXACT,
        "is_dry_run": False,
        "requires_method": False,
        "publishes_methods": False,
        "requires_code": _choice(values, "participant_code_availability") in _CODE_REQUIRED,
        "stays_open": False,
        "methods_per_team": methods,
        "announcement": announcement,
        "announced_ranks": announced_ranks,
        "interaction": _INTERACTION.get(_choice(values, "interaction_level_handling"), Phase.Interaction.NONE),
        "interaction_levels": _levels(values),
    }
    pre_evaluation = _choice(values, "pre_evaluation_method")
    shows = Phase.Results.AGGREGATE if pre_evaluation == "feedback_on_test_set" else Phase.Results.VALIDATION
    results, board = _EARLY.get(pre_evaluation, (Phase.Results.AGGREGATE, Phase.Leaderboard.SEALED))
    return {
        "test": {
            **common,
            "submissions_in_total": 1 if counted == "only_one" else limit,
            "results": shows,
            "leaderboard": Phase.Leaderboard.SEALED,
        },
        "early": {**common, "submissions_in_total": None, "results": results, "leaderboard": board},
        "open": {
            **common,
            "submissions_in_total": 1 if counted == "only_one" else limit,
            "results": Phase.Results.AGGREGATE,
            "leaderboard": Phase.Leaderboard.PUBLIC,
            "stays_open": True,
        },
    }


OWN_WORDS: Final = "in own words"


def _choice(values: Values, parameter: str) -> str | None:
    """Return the choice of a parameter by its slug; `OWN_WORDS` for a value outside the choices."""
    value = values.get(parameter)
    return value if value is None or isinstance(value, str) else OWN_WORDS


def _announcement(values: Values, problems: list[Problem]) -> tuple[str, int | None]:
    """Return the rule for teams that are named in public, and the last rank that is named."""
    policy = _choice(values, "results_announcement_policy")
    if policy == "top_three_public":
        return Phase.Announcement.TOP, 3
    if policy == "top_n_public":
        numbers = re.findall(r"\d+", values.entry("results_announcement_policy").details)
        if len(numbers) != 1 or not 1 <= int(numbers[0]) <= MOST_ANNOUNCED:
            text = f"say in the details how many are announced, as one number from 1 to {MOST_ANNOUNCED}"
            problems.append(Problem("results_announcement_policy", text))
            return Phase.Announcement.ALL, None
        return Phase.Announcement.TOP, int(numbers[0])
    return _ANNOUNCEMENTS.get(policy or "", Phase.Announcement.ALL), None


def _levels(values: Values) -> list[str]:
    """Levels of interaction that may be ranked finally; none means every one."""
    if values.get("interaction_level_handling") == "only_automatic":
        return ["fully_automatic"]
    return sorted(values.get("interaction_level_policy") or ())


MOST_ANNOUNCED: Final = 1000
MOST_METHODS: Final = 20
_ANNOUNCEMENTS: Final[Mapping[str, str]] = {
    "all_public": Phase.Announcement.ALL,
    "team_choice": Phase.Announcement.AGREED,
    "anonymous_listing": Phase.Announcement.NOT_REFUSED,
}
_CODE_REQUIRED: Final = ("required_public", "required_to_organizers")
_INTERACTION: Final[Mapping[Any, str]] = {
    "indication": Phase.Interaction.INDICATED,
    "separate_ranking": Phase.Interaction.SEPARATE,
    "weighting": Phase.Interaction.WEIGHTED,
}


_COUNTS: Final[Mapping[Any, str]] = {
    "last": Phase.Counts.LAST,
    "only_one": Phase.Counts.LAST,
    "best": Phase.Counts.BEST,
    "selected_by_team": Phase.Counts.CHOSEN,
}
_INCOMPLETE: Final[Mapping[Any, bool]] = {"no": False, "yes_tasks_only": False, "yes_penalized": True}
_EARLY: Final[Mapping[Any, tuple[str, str]]] = {
    "private_results": (Phase.Results.AGGREGATE, Phase.Leaderboard.SEALED),
    "public_leaderboard_pretest": (Phase.Results.AGGREGATE, Phase.Leaderboard.PUBLIC),
    "validation_dataset": (Phase.Results.CASES, Phase.Leaderboard.PUBLIC),
    "feedback_on_test_set": (Phase.Results.AGGREGATE, Phase.Leaderboard.PUBLIC),
}
