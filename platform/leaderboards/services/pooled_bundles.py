"""A ranking over sites with all that it was pooled from: signed summaries, keys and rules, for anyone to check."""

import io
import json
import zipfile
from typing import Any

from datastore.uploads.storage import load_json
from evaluation.canonical import canonical_json
from federation.models import Enrolment
from federation.queries.pooling import arrived_by_digest
from leaderboards.models import RankingVersion
from leaderboards.services import computing

_README = """\
{challenge}, {phase}: ranking over sites, version {number}
SHA-256 of the ranking document: {digest}

summaries/  the numbers of each site, as it showed them to a person before it signed
envelopes/  the same as they were signed (DSSE, Ed25519); keys.json has the public keys
assessment.json, federation.json  what was registered, and how every site stands
ranking.json  the published ranking

It follows from the summaries:
  python -m evaluation pool assessment.json --summaries summaries/*.json --federation federation.json \\
    --site-column {column} --verify ranking.json
"""
_GONE = "\nSites that had their sums removed since, so that nobody can pool this version again: "


def bundle(version: RankingVersion) -> bytes:
    """The bundle of a version; a site whose sums were removed is named in the README and lacks."""
    document = load_json(version.document_name)
    sites = [row for row in version.inputs["sites"] if row.get("payload")]
    arrived = {row["site"]: arrived_by_digest(version.phase, row["payload"]) for row in sites}
    rules = version.inputs["rules"]
    federation: dict[str, Any] = {
        "schema": "podium.federation/1",
        "sites": [{key: row[key] for key in ("site", "state", "reason")} for row in version.inputs["sites"]],
        "if_missing": rules["if_missing"],
        **({"sites_required": rules["sites_required"]} if rules["sites_required"] is not None else {}),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        readme = _README.format(
            challenge=version.phase.challenge.title,
            phase=version.phase.name,
            number=version.number,
            digest=version.digest,
            column=rules["site_column"],
        )
        removed = sorted(name for name, entry in arrived.items() if entry is None)
        if removed:
            readme += _GONE + ", ".join(removed) + chr(10)
        archive.writestr("README.txt", readme)
        archive.writestr("assessment.json", json.dumps(computing.assessment_of(version).document, indent=1))
        archive.writestr("federation.json", canonical_json(federation))
        archive.writestr("ranking.json", computing.written(document))
        archive.writestr("keys.json", canonical_json(_keys(version)))
        for name, entry in arrived.items():
            if entry is not None:
                archive.writestr(f"envelopes/{name}.json", entry.envelope())
                archive.writestr(f"summaries/{name}.json", canonical_json(entry.summary()))
    return buffer.getvalue()


def _keys(version: RankingVersion) -> dict[str, list[str]]:
    rows = Enrolment.objects.filter(site__federation__identifier=version.inputs["federation"]).exclude(public_key="")
    public_keys: dict[str, list[str]] = {}
    for name, key in rows.order_by("site__name", "pk").values_list("site__name", "public_key"):
        public_keys.setdefault(name, []).append(key)
    return public_keys
