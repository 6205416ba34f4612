"""Scoring of the predictions of each algorithm against the site's own references.

Algorithms are scored in turn. An interrupted run resumes at the same point.

Only `predictions_of` defines the origin of predictions.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation import durable
from evaluation.cli.inputs import read_results
from evaluation.federation.documents import digest_of
from evaluation.outcomes import Outcome
from evaluation.readers import ReadError
from evaluation.scoring import score_folders, write_results
from podium_client.errors import ClientError
from podium_client.site import cases, images, outbox
from podium_client.site.folder import PREDICTIONS, SiteFolder


def predictions_of(
    site: SiteFolder, name: str, *, carried: bool, engine: str, tell: Callable[[str], None]
) -> tuple[Path, str | None]:
    """The folder with the predictions of an algorithm, one file a case, and the digest of the image that made them.

    Parameters
    ----------
    carried
        Whether predictions that were made elsewhere are taken although there is an image.

    Raises
    ------
    ClientError
        When there is none.
    """
    entry = next(entry for entry in site.package["algorithms"] if entry["name"] == name)
    if carried and entry["image"] is not None and not entry.get("predictions"):
        raise ClientError(f"The image of {name} has to be run; predictions of it are not taken.")
    if entry["image"] is not None and not carried:
        return images.run(site, name, engine_name=engine, tell=tell), str(entry["image"])
    folder = site.path / PREDICTIONS / name
    if not folder.is_dir() or not any(folder.iterdir()):
        raise ClientError(
            f"There are no predictions of {name}: put one file a case into {folder}, named as the references are. "
            f"If the algorithm failed here, say so: podium site run --failed {name}"
        )
    return folder, None


def missing(site: SiteFolder) -> list[str]:
    """Algorithms without results."""
    return [name for name in site.algorithms if not site.has(f"results/{name}.csv")]


def run(
    site: SiteFolder,
    *,
    chosen: Collection[str] = (),
    failed: Collection[str] = (),
    carried: Collection[str] = (),
    attribution: str = "submission",
    engine: str = "podman",
    jobs: int = 1,
    tell: Callable[[str], None] = print,
) -> list[str]:
    """Score the remaining algorithms and return those that still have no results.

    Parameters
    ----------
    failed
        Algorithms that failed here as a whole: every case counts as missing.
    carried
        Algorithms whose predictions were made elsewhere, where that is allowed in addition to an image.
    attribution
        Party responsible for the failure.
    """
    sealed = cases.check_seal(site)
    for name in [*chosen, *failed, *carried]:
        if name not in site.algorithms:
            raise ClientError(f"There is no algorithm {name} in the package; there are {', '.join(site.algorithms)}.")
    if not sealed.get("small") and not outbox.last(site, "site-progress"):
        outbox.queue(site, "site-progress", {"package": digest_of(site.package), "algorithms": len(site.algorithms)})
    for name in missing(site):
        if name in failed or (chosen and name not in chosen):
            continue
        folder, image = predictions_of(site, name, carried=name in carried, engine=engine, tell=tell)
        digest = cases.folder_digest(folder)
        try:
            scored = score_folders(site.assessment, cases.references_of(site), {name: folder}, jobs=jobs)
        except (ReadError, ValueError) as error:
            raise ClientError(f"{name} cannot be scored: {error}") from error
        gone = sorted({row.case for row in scored.rows if row.outcome is Outcome.MISSING})
        why = next((issue.message for issue in scored.reasons.values()), "no file of them")
        facts = {"image": image, "predictions": digest, "status": "partial" if gone else "completed"}
        _store(site, name, scored.rows, facts)
        tell(f"{name}: scored" + (f"; {len(gone)} cases count as missing ({gone[0]}: {why})" if gone else ""))
    for name in failed:
        if not site.has(f"results/{name}.csv"):
            _store_failed(site, name, attribution)
            tell(f"{name}: every case counts as missing")
    return missing(site)


def results(site: SiteFolder) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Return the results of all algorithms, and a description of each run.

    Raises
    ------
    ClientError
        If a result is missing.
    """
    if lacking := missing(site):
        raise ClientError(f"{len(lacking)} algorithms have no results yet ({lacking[0]}): podium site run.")
    frame = read_results([site.path / "results" / f"{name}.csv" for name in site.algorithms], {})
    runs = [{"algorithm": name, "image": None, **site.read(f"results/{name}.json")} for name in site.algorithms]
    return frame, runs


def _store(site: SiteFolder, name: str, rows: Any, facts: dict[str, Any]) -> None:
    target = site.path / "results" / f"{name}.csv"
    part = target.with_suffix(".part")
    write_results(rows, part)
    site.write(f"results/{name}.json", facts)
    durable.settle(part, target)
    site.note("scored", algorithm=name, **facts)


def _store_failed(site: SiteFolder, name: str, attribution: str) -> None:
    """Results of an algorithm that gave nothing here: those of another one, every value missing."""
    other = next((candidate for candidate in site.algorithms if site.has(f"results/{candidate}.csv")), None)
    if other is None:
        raise ClientError("Score one algorithm first: which values there are is known from it.")
    table = pd.read_csv(site.path / "results" / f"{other}.csv", dtype=str, keep_default_na=False)
    table = table.assign(algorithm=name, value="", outcome="missing")
    empty = "0" * 64
    wanted = images.wanted(site)
    image = wanted[name]["image"] if name in wanted else None
    facts = {
        "image": image,
        "predictions": empty,
        "status": "failed",
        "fault": "submission",
        "attribution": attribution,
    }
    durable.write_text(site.path / "results" / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
    site.write(f"results/{name}.json", facts)
    site.note("failed", algorithm=name, attribution=attribution)
