"""Checking a bundle: is this the published ranking, and if not, where does it differ?"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment import parse
from evaluation.bundle.comparing import differences
from evaluation.bundle.exclusions import exclusion_notes
from evaluation.bundle.layout import (
    ASSESSMENT,
    AUDIT,
    CASES,
    FURTHER,
    MANIFEST,
    RANKING,
    SCHEMA,
    audit_digest,
    result_digest,
)
from evaluation.bundle.older import OLD_SCHEMA, still_alike
from evaluation.bundle.outside import outside_notes
from evaluation.bundle.scorers import scorer_notes
from evaluation.claims.costs import measured
from evaluation.ranking import digest as ranking_digest
from evaluation.ranking import rank
from evaluation.ranking.document import look_to_verify, rules_to_verify, schema_to_verify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.scoring.evidence import Evidence

_NAME: Final = re.compile(
    r"(assessment|ranking|bundle|audit|ro-crate-metadata)\.json|cases\.csv|results/\d{4,6}\.csv|evidence/\d{4,6}\.parquet"
)
_MAX_FILES: Final = 20_000
_MAX_BYTES: Final = 4 << 30
_NUMBERS: Final = ("value", "image_diagonal")
# What a manifest may ask this machine to compute; the platform's own limit is far below it.
_MOST_SAMPLES: Final = 100_000


class BundleError(ValueError):
    """The file is no bundle, or not one that can be checked."""


@dataclass(frozen=True)
class Verdict:
    """Result of checking a bundle.

    Attributes
    ----------
    same
        Whether the ranking recomputed from the bundle is the published one and every file is as it was published.
    published, recomputed
        Digests of the ranking as published and as computed here.
    places
        Differences between the bundle and its declared content, the cause before its consequences; empty if there
        are none.
    algorithms, cases, bootstrap
        Size of the ranking.
    is_compared
        Whether the digest came from another source; else the bundle was only compared with itself.
    not_recomputed
        Parts of a ranking of an older schema that are defined otherwise today; this does not count as a
        difference.
    notes
        Further facts that a reader of this ranking needs: excluded cases, and the digests of the rankings with
        and without them.
    """

    same: bool
    published: str
    recomputed: str
    places: tuple[str, ...]
    algorithms: int
    cases: int
    bootstrap: int
    is_compared: bool = True
    not_recomputed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in one line."""
        if not self.same:
            return f"This is NOT the published ranking: {self.places[0]}"
        if self.not_recomputed:
            how = (
                f"digest {self.published}: every file is as it was published, and what is still defined alike was recomputed from "
                f"{self.algorithms} results tables over {self.cases} cases. Not recomputed, since it was defined otherwise then: "
                f"{', '.join(self.not_recomputed)}."
            )
        else:
            how = (
                f"recomputed from {self.algorithms} results tables over {self.cases} cases with {self.bootstrap} resamples, "
                f"digest {self.published}."
            )
        if self.is_compared:
            return f"This is the published ranking: {how}"
        return (
            f"The bundle agrees with itself: {how} Whether it is the published ranking, only the digest on its page can "
            "tell: give it with --digest."
        )


def verify(path: Path, *, digest: str | None = None, progress: Callable[[int, int], None] | None = None) -> Verdict:
    """Recompute the ranking of a bundle and compare it with the published one.

    Parameters
    ----------
    path
        The bundle.
    digest
        Digest shown on a page. By default the digest in the bundle is used, which comes from the author of the
        bundle.
    progress
        Called with the number of rankings computed and their total.

    Raises
    ------
    BundleError
        If the file is not a bundle.
    """
    files = _read(path)
    manifest = _json(files, MANIFEST)
    _check_manifest(manifest)
    published = digest or manifest["digest"]
    places = _changed_files(files, manifest) + _changed_audit(files, manifest)
    assessment = parse(_json(files, ASSESSMENT))
    if assessment.digest != manifest["assessment_digest"]:
        places.append(f"{ASSESSMENT} is not the assessment with the digest {manifest['assessment_digest']}.")
    evidence = _evidence(files, manifest)
    results, changed = _results(files, manifest, evidence)
    places += changed
    stored = _json(files, RANKING)
    document = rank(
        assessment,
        results,
        cases=_cases(files),
        evidence=_merged(evidence),
        bootstrap=manifest["bootstrap"],
        seed=manifest["seed"],
        progress=progress,
        schema=schema_to_verify(stored),
        look=look_to_verify(stored),
        rules=rules_to_verify(stored),
    )
    recomputed = ranking_digest(document)
    if ranking_digest(stored) != published:
        places.append(f"{RANKING} does not have the digest {published} but {ranking_digest(stored)}.")
    not_recomputed: tuple[str, ...] = ()
    if stored.get("schema") == OLD_SCHEMA:
        old, new, not_recomputed = still_alike(stored, document, assessment)
        places += differences(old, new)
    elif recomputed != published:
        places += differences(stored, document) or [
            f"the ranking recomputed from the results has the digest {recomputed}, not {published}."
        ]
    return Verdict(
        same=not places,
        published=published,
        recomputed=recomputed,
        places=tuple(places),
        algorithms=len(manifest["teams"]),
        cases=max(entry["cases"] for entry in document["rankings"]),
        bootstrap=manifest["bootstrap"],
        is_compared=digest is not None,
        not_recomputed=not_recomputed,
        notes=(
            *exclusion_notes(assessment, document, manifest),
            *outside_notes(manifest),
            *scorer_notes(manifest),
            *measured(assessment),
        ),
    )


def contents(path: Path) -> tuple[Assessment, dict[str, pd.DataFrame]]:
    """Return the assessment of a bundle and the unchanged results table of each team, by its name.

    Raises
    ------
    BundleError
        If the file is not a bundle.
    """
    files = _read(path)
    manifest = _json(files, MANIFEST)
    _check_manifest(manifest)
    _results(files, manifest, _evidence(files, manifest))
    tables = {team["name"]: _table(files, team["file"]) for team in manifest["teams"]}
    return parse(_json(files, ASSESSMENT)), tables


def _read(path: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > _MAX_FILES or sum(entry.file_size for entry in entries) > _MAX_BYTES:
                message = f"{path} is too large for a bundle"
                raise BundleError(message)
            names = [entry.filename for entry in entries]
            strange = next((name for name in names if not _NAME.fullmatch(name)), None)
            if strange is not None or len(set(names)) != len(names):
                message = f"{path} is no bundle: it holds {strange or 'a name twice'}"
                raise BundleError(message)
            return {entry.filename: _member(archive, entry) for entry in entries}
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        message = f"{path} is no bundle: {error}"
        raise BundleError(message) from None


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as file:
        # Never more than the size that was declared, and checked, before.
        return file.read(entry.file_size + 1)


def _json(files: Mapping[str, bytes], name: str) -> Any:
    if name not in files:
        message = f"the bundle has no {name}"
        raise BundleError(message)
    try:
        return json.loads(files[name])
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        message = f"{name} is not a JSON document: {error}"
        raise BundleError(message) from None


def _check_manifest(manifest: Any) -> None:
    kinds = {
        "schema": int,
        "digest": str,
        "assessment_digest": str,
        "seed": int,
        "bootstrap": int,
        "teams": list,
        "files": dict,
    }
    for key, kind in kinds.items():
        if not isinstance(manifest, dict) or not isinstance(manifest.get(key), kind):
            message = f"{MANIFEST} has no usable {key!r}"
            raise BundleError(message)
    if manifest["schema"] != SCHEMA:
        message = f"{MANIFEST} has the schema {manifest['schema']}; this version reads {SCHEMA}"
        raise BundleError(message)
    if not 0 <= manifest["bootstrap"] <= _MOST_SAMPLES:
        message = f"{MANIFEST} asks for {manifest['bootstrap']:,} samples; from 0 to {_MOST_SAMPLES:,} are computed"
        raise BundleError(message)
    for team in manifest["teams"]:
        names = ("name", "file", "result_digest")
        if not isinstance(team, dict) or not all(isinstance(team.get(name), str) for name in names):
            message = f"{MANIFEST} does not say which file holds the results of {team!r}"
            raise BundleError(message)


def _changed_files(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> list[str]:
    changed = []
    stated = manifest["files"]
    owners = {team["file"]: f" (the results of {team['name']})" for team in manifest["teams"]}
    owners |= {
        team["evidence"]: f" (the evidence of {team['name']})" for team in manifest["teams"] if "evidence" in team
    }
    for name in sorted(set(stated) | set(files) - {MANIFEST}):
        if name not in files:
            changed.append(f"{name}{owners.get(name, '')} is missing.")
        elif name not in stated:
            changed.append(f"{name} was not published with this ranking.")
        elif hashlib.sha256(files[name]).hexdigest() != stated[name]:
            changed.append(f"{name}{owners.get(name, '')} was changed after it was published.")
    return changed


def _changed_audit(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> list[str]:
    entries = _json(files, AUDIT)
    if not isinstance(entries, list) or not all(_is_entry(entry) for entry in entries):
        message = f"{AUDIT} is not a list of entries with their facts"
        raise BundleError(message)
    changed = [
        f"{AUDIT}: the entry {entry.get('sequence')} does not have its digest."
        for entry in entries
        if audit_digest(entry) != entry.get("digest")
    ]
    named = {entry["facts"]["digest"] for entry in entries if "digest" in entry.get("facts", {})}
    if named and manifest["digest"] not in named:
        changed.append(f"{AUDIT} names another ranking: {', '.join(sorted(named))}.")
    return changed


def _is_entry(entry: Any) -> bool:
    """Return whether a value has the form of an entry of the log."""
    if not isinstance(entry, dict) or not isinstance(entry.get("facts", {}), dict):
        return False
    return isinstance(entry.get("facts", {}).get("digest", ""), str)


def _evidence(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> dict[str, Evidence]:
    """The evidence of every team that has some, by the team's name."""
    from evaluation.scoring.evidence import read_evidence_bytes

    by_team = {}
    for team in manifest["teams"]:
        name = team.get("evidence")
        if name is None:
            continue
        if name not in files:
            message = f"the bundle has no {name}, the evidence of {team['name']}"
            raise BundleError(message)
        try:
            by_team[team["name"]] = read_evidence_bytes(files[name], name).renamed(team["name"])
        except ValueError as error:
            message = f"{name} is no evidence: {error}"
            raise BundleError(message) from None
    return by_team


def _merged(evidence: Mapping[str, Evidence]) -> Evidence | None:
    from evaluation.scoring.evidence import merge_evidence

    return merge_evidence(evidence.items()) if evidence else None


def _results(
    files: Mapping[str, bytes], manifest: Mapping[str, Any], evidence: Mapping[str, Evidence]
) -> tuple[pd.DataFrame, list[str]]:
    import pandas as pd

    frames, changed = [], []
    for team in manifest["teams"]:
        if team["file"] not in files:
            message = f"the bundle has no {team['file']}, the results of {team['name']}"
            raise BundleError(message)
        table = _table(files, team["file"])
        if (table["algorithm"] != team["name"]).any():
            changed.append(f"{team['file']} holds rows of others than {team['name']}.")
        if result_digest(table, evidence.get(team["name"])) != team["result_digest"]:
            changed.append(
                f"the results of {team['name']} are not those that counted (digest {team['result_digest']})."
            )
        frames.append(table)
    return pd.concat(frames, ignore_index=True), changed


def _table(files: Mapping[str, bytes], name: str) -> pd.DataFrame:
    import pandas as pd

    try:
        table = pd.read_csv(io.BytesIO(files[name]), dtype=str, keep_default_na=False)
        for column in (*_NUMBERS, *(name for name in FURTHER if name in table.columns)):
            # Python reads 17 significant digits back exactly; pandas' own parsers do not promise to.
            table[column] = [float(cell) if cell else float("nan") for cell in table[column]]
    except (KeyError, ValueError) as error:
        message = f"{name} is no results table: {error}"
        raise BundleError(message) from None
    return table


def _cases(files: Mapping[str, bytes]) -> pd.DataFrame | None:
    import pandas as pd

    if CASES not in files:
        return None
    return pd.read_csv(io.BytesIO(files[CASES]), dtype=str, keep_default_na=False)
