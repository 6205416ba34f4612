"""Writing a bundle piece by piece, so that its size never matters to the memory."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.bundle.layout import ASSESSMENT, AUDIT, CASES, EVIDENCE, MANIFEST, RANKING, RESULTS, SCHEMA
from evaluation.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from evaluation.assessment import Assessment

# The zip format cannot say "no date"; a fixed one keeps equal bundles equal.
_EPOCH = (1980, 1, 1, 0, 0, 0)


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
        Case metadata as CSV with ``case`` and the columns of `Assessment.grouping_columns`, if there are any.
    audit
        The audit log's entries of this ranking.
    """
    pipe = _Pipe()
    digests: dict[str, str] = {}
    listed: list[dict[str, str]] = []
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:  # type: ignore[call-overload]

        def add(name: str, content: str | bytes) -> None:
            data = content if isinstance(content, bytes) else content.encode()
            digests[name] = hashlib.sha256(data).hexdigest()
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
