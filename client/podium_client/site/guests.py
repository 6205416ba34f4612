"""Small sites that join this site: their results, and the key that their results are encrypted for.

Their results remain at this site.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.cli.inputs import read_results
from evaluation.federation import FederationError, joining
from evaluation.federation.documents import digest_of
from evaluation.federation.manifest import SealedCase
from evaluation.federation.scheme import unit_level
from podium_client.errors import ClientError
from podium_client.site.folder import SiteFolder, written

_GUESTS, _KEY = "guests", "hand-over.key"


def may_join(site: SiteFolder) -> bool:
    """Return whether the registered rule allows sites with too few cases to join another site."""
    return site.package["rules"].get("small_sites") == "join"


def recipient(site: SiteFolder) -> str:
    """Return the recipient address that another site needs to encrypt its results for this site.

    The key is created at the first call.
    """
    if not site.has(_KEY):
        written(site.path / _KEY, joining.new_identity()[0].encode())
    return joining.recipient_of(_identity(site))


def take_in(site: SiteFolder, path: Path) -> str:
    """Import the results of another site before this site's cases are sealed.

    Returns the name of the other site.

    Raises
    ------
    ClientError
        If it is too late, or the file does not fit.
    """
    if not may_join(site):
        raise ClientError("The registered rule is that sites with too few cases are left out; none is taken in.")
    try:
        hand_over = joining.opened(_identity(site), path.read_bytes())
    except OSError as error:
        raise ClientError(f"{path} cannot be read ({type(error).__name__}).") from error
    except FederationError as error:
        raise ClientError(f"{path} cannot be taken in: {error}.") from error
    for key, expected in (
        ("to", site.name),
        ("federation", site.facts["federation"]),
        ("package", digest_of(site.package)),
        ("algorithms", site.algorithms),
    ):
        if hand_over[key] != expected:
            raise ClientError(f"{path} was made for another site, challenge or package ({key}). Request a new one.")
    _check_sealed(site, hand_over)
    (site.path / _GUESTS).mkdir(exist_ok=True, mode=0o700)
    site.write(f"{_GUESTS}/{hand_over['site']}.json", hand_over)
    site.note("taken-in", site=hand_over["site"], cases=len(hand_over["cases"]))
    return str(hand_over["site"])


def guests(site: SiteFolder) -> list[str]:
    """Names of the sites that were taken in."""
    folder = site.path / _GUESTS
    return sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []


def guest_table(site: SiteFolder) -> pd.DataFrame:
    """One row a case of the sites that were taken in, as `cases.case_table` has the own ones."""
    column = site.assessment.exclusions.grade_column
    rows = [
        {"case": case["case"], **case["levels"], **({column: case["grade"]} if column else {})}
        for name in guests(site)
        for case in site.read(f"{_GUESTS}/{name}.json")["cases"]
    ]
    return pd.DataFrame(rows).assign(**{site.site_column: site.name}) if rows else pd.DataFrame()


def guest_cases(site: SiteFolder) -> list[SealedCase]:
    """Cases of the sites that were taken in, as they are sealed here: by the leaves of their own seals."""
    level = unit_level(site.assessment, site.site_column)
    return [
        SealedCase(
            case=case["case"],
            files={},
            reference=case["leaf"],
            grade=case["grade"],
            unit=case["case"] if level == "case" else str(case["levels"][level]),
        )
        for name in guests(site)
        for case in site.read(f"{_GUESTS}/{name}.json")["cases"]
    ]


def guest_results(site: SiteFolder) -> list[pd.DataFrame]:
    """Results of the sites that were taken in."""
    tables = []
    for name in guests(site):
        text = _own(site, name)["results"]
        path = site.path / _GUESTS / f".{name}.csv"
        written(path, text.encode())
        tables.append(read_results([path], {}))
        path.unlink()
    return tables


def _check_sealed(site: SiteFolder, hand_over: dict[str, Any]) -> None:
    """After the seal only a site that is sealed already comes again, with the same cases: for a later package."""
    if not site.has("sealed.json"):
        return
    sealed = {case["case"]: case["reference"] for case in site.read("sealed.json")["list"]}
    named = site.read("sealed.json").get("with", [])
    if hand_over["site"] not in named or any(sealed.get(case["case"]) != case["leaf"] for case in hand_over["cases"]):
        raise ClientError(
            "The cases are sealed already: another number of cases afterwards would tell how many came. "
            "Take sites in before podium site seal."
        )


def _own(site: SiteFolder, name: str) -> dict[str, Any]:
    """Return the results that a site submitted for the current package."""
    hand_over = site.read(f"{_GUESTS}/{name}.json")
    if hand_over["package"] != digest_of(site.package):
        raise ClientError(f"Site {name} handed its results over for an earlier package: have it hand them over again.")
    return hand_over


def _identity(site: SiteFolder) -> str:
    if not site.has(_KEY):
        raise ClientError(
            "Nothing can be handed to this site yet: podium site status --recipient tells others where to."
        )
    return (site.path / _KEY).read_text("utf-8")
