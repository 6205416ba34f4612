"""Writing a bundle piece by piece, so that its size never matters to the memory."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.bundle.layout import ASSESSMENT, AUDIT, CASES, EVIDENCE, MANIFEST, RANKING, RESULTS, SCHEMA
from evaluation.canonical import canonical_json
from evaluation.metadata.facts import DataFile
from evaluation.metadata.ro_crate import CRATE, crate_of_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment

# The zip format cannot say "no date"; a fixed one keeps equal bundles equal.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNDATED = "1980-01-01"
"""Day of a bundle whose facts state none, as of its files: equal bundles are equal."""


@dataclass(frozen=True)
class TeamResult:
    """Counted result of one team.

    It contains the team's name in the ranking, the digest of its results, the table, and the file of evidence.
    """

    name: str
    digest: str
    table: pd.DataFrame
    evidence: bytes | None = None


@dataclass(frozen=True)
class Published:
    """Published ranking: the document and its identification.

    Attributes
    ----------
    digest
        Digest of the ranking document, as the page shows it.
    facts
        Other identifying facts: challenge, phase, number of the version, its address.
    """

    digest: str
    document: Mapping[str, Any]
    facts: Mapping[str, Any]


def chunks(
    published: Published,
    assessment: Assessment,
    teams: Iterable[TeamResult],
    *,
    cases: str | None = None,
    audit: Sequence[Mapping[str, Any]] = (),
) -> Iterator[bytes]:
    """Yield the bytes of a bundle as they come into being; one team's table is in memory at a time.

    Parameters
    ----------
    published, assessment
        The ranking and what it was computed by.
    teams
        The results that counted; read one after another.
    cases
        Case metadata as CSV with ``case`` and the columns of `grouping_columns`, if there are any.
    audit
        The audit log's entries of this ranking.
    """
    pipe = _Pipe()
    digests: dict[str, str] = {}
    sizes: dict[str, int] = {}
    listed: list[dict[str, str]] = []
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:  # type: ignore[call-overload]

        def add(name: str, content: str | bytes) -> None:
            data = content if isinstance(content, bytes) else content.encode()
            digests[name], sizes[name] = hashlib.sha256(data).hexdigest(), len(data)
            archive.writestr(_entry(name), data)

        add(ASSESSMENT, canonical_json(assessment.document))
        add(RANKING, canonical_json(published.document))
        add(AUDIT, json.dumps(list(audit), ensure_ascii=False, sort_keys=True))
        if cases is not None:
            add(CASES, cases)
        yield pipe.taken()
        for index, team in enumerate(teams, start=1):
            name = f"{RESULTS}{index:04d}.csv"
            add(
                name,
                team.table.assign(algorithm=team.name).to_csv(index=False, float_format="%.17g", lineterminator="\n"),
            )
            listed.append({"name": team.name, "file": name, "result_digest": team.digest})
            if team.evidence is not None:
                listed[-1]["evidence"] = f"{EVIDENCE}{index:04d}.parquet"
                add(listed[-1]["evidence"], team.evidence)
            yield pipe.taken()
        described = [DataFile(name, sizes[name], digests[name], description=_words(name)) for name in digests]
        add(CRATE, canonical_json(_crate(published, described)))
        manifest = {
            "schema": SCHEMA,
            **published.facts,
            "digest": published.digest,
            "assessment_digest": assessment.digest,
            "seed": published.document["seed"],
            "bootstrap": published.document["bootstrap"],
            "versions": published.document["versions"],
            "teams": listed,
            "files": digests,
        }
        archive.writestr(_entry(MANIFEST), json.dumps(manifest, ensure_ascii=False, indent=1))
    yield pipe.taken()


def _crate(published: Published, files: Sequence[DataFile]) -> dict[str, Any]:
    """The RO-Crate of a bundle; `MANIFEST`, which has the digest of this document, is not part of it."""
    facts = published.facts
    title = str(facts.get("title") or facts.get("challenge") or "Ranking")
    address = str(facts.get("address") or "")
    return crate_of_files(
        f"{title}: ranking with its results",
        "Results of single cases, the assessment, and the ranking that was computed from them.",
        files,
        published=str(facts.get("created_at") or _UNDATED)[:10],
        licence=str(facts.get("licence") or "Not stated: ask the publisher before you use the results."),
        publisher=str(facts.get("publisher") or "Podium"),
        address=address if address.startswith("https://") else "",
        digest=published.digest,
        software=f"podium-evaluation {published.document['versions'].get('podium', '')}".strip(),
    )


def _words(name: str) -> str:
    descriptions = {
        ASSESSMENT: "Assessment: metrics, missing values and ranking scheme",
        RANKING: "Ranking document",
        AUDIT: "Entries of the audit log",
        CASES: "Characteristics of the cases",
    }
    return descriptions.get(name) or (
        "Results of a team" if name.startswith(RESULTS) else "Evidence behind results of a team"
    )


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=_EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


class _Pipe:
    """A file that cannot be sought in: what is written to it waits to be taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing to do: what is written is there."""

    def taken(self) -> bytes:
        data = b"".join(self._parts)
        self._parts.clear()
        return data
