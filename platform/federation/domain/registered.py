"""Rules of a federation as a design registers them, with defaults for missing values."""

from collections.abc import Mapping
from typing import Any, Final

LEAST_UNITS: Final = 10
_RESAMPLES: Final = range(200, 10_001)


def rules_from(registered: Mapping[str, Any], *, site_column: str) -> dict[str, Any]:
    """Add defaults to the registered rules.

    Parameters
    ----------
    registered
        The parameter ``federation_rules`` of a design.

    Returns
    -------
    dict
        ``minimum_units``, ``disclosure``, ``replicates``, ``site_column``; ``sites_required``: ``all``, a number, or
        None if the ranking is made without the missing sites; ``if_missing`` as defined by pooling;
        ``small_sites``: ``refuse`` or ``join``.

    Raises
    ------
    ValueError
        With one sentence, for a rule that would disclose single cases or is incomplete.

    Examples
    --------
    >>> rules_from({"if_missing": "rank_with_enough", "sites_required": 3}, site_column="site")["sites_required"]
    3
    >>> rules_from({}, site_column="site")["sites_required"]
    'all'
    """
    least = int(registered.get("minimum_units") or LEAST_UNITS)
    if least < LEAST_UNITS:
        message = f"at least {LEAST_UNITS} cases stand behind every number that leaves a site"
        raise ValueError(message)
    resamples = int(registered.get("replicates") or 1000)
    if resamples not in _RESAMPLES:
        message = f"a site resamples {_RESAMPLES.start} to {_RESAMPLES.stop - 1} times"
        raise ValueError(message)
    asked = registered.get("if_missing") or "wait_for_all"
    required: str | int | None = {"wait_for_all": "all", "rank_without": None}.get(asked)
    if asked == "rank_with_enough":
        if not registered.get("sites_required"):
            message = "say how many sites are enough"
            raise ValueError(message)
        required = int(registered["sites_required"])
    return {
        "minimum_units": least,
        "disclosure": registered.get("disclosure") or "moments",
        "replicates": resamples,
        "site_column": site_column,
        "sites_required": required,
        "if_missing": "rank_without" if required is None else "wait",
        "small_sites": registered.get("small_sites") or "refuse",
    }


def words_of(rules: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The rules as label and value, for a page."""
    required = rules["sites_required"]
    missing = {
        "all": "all sites are waited for; nothing is ranked before",
        None: "the ranking is made without them",
    }.get(required, f"the ranking is made without them, if {required} have sent")
    sent = {
        "places": "places of the algorithms at the site",
        "means": "sums and means",
        "moments": "sums, means and covariances",
    }
    joins = rules.get("small_sites") == "join"
    return [
        ("Fewest cases of a site", str(rules["minimum_units"])),
        ("Sites with fewer", "may join another site, which makes one summary over both" if joins else "are left out"),
        ("What leaves a site", sent[rules["disclosure"]]),
        ("Sites that have not sent at the end", missing),
        ("Column of the sites", str(rules["site_column"])),
    ]
