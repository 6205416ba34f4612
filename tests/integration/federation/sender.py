"""A site without a machine: its messages, signed in this process over a table of made-up values."""

import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from evaluation.canonical import canonical_json, sha256
from evaluation.federation import summarise
from evaluation.federation.documents import digest_of
from evaluation.federation.envelope import fingerprint, load_key, new_key, public_bytes, sign
from evaluation.federation.inbox import NO_MESSAGE_BEFORE
from federation.queries.federations import current_package
from federation.services.messages import receive
from tests.integration.federation.world import Centre

SEAL = "a" * 64


@dataclass
class Sender:
    """One site of a centre; messages are numbered as they are made."""

    centre: Centre
    name: str
    units: int = 20
    seed: int = 1
    pem: bytes = field(default_factory=lambda: new_key()[0])
    sequence: int = 0
    previous: str = NO_MESSAGE_BEFORE

    @property
    def public(self) -> bytes:
        return public_bytes(load_key(self.pem))

    def document(self, kind: str, **content: Any) -> dict[str, Any]:
        """The next message, not yet counted."""
        return {
            "schema": f"podium.{kind}/1",
            "site": self.name,
            "federation": self.centre.federation.identifier,
            "sequence": self.sequence + 1,
            "previous": self.previous,
            "sent_at": f"{datetime.now(UTC) - timedelta(seconds=30):%Y-%m-%dT%H:%M:%SZ}",
            **content,
        }

    def envelope(self, document: dict[str, Any]) -> bytes:
        return canonical_json(sign(document, load_key(self.pem))).encode()

    def send(self, kind: str, **content: Any) -> Any:
        """Sign, hand in, and count it."""
        document = self.document(kind, **content)
        answer = receive(self.envelope(document), federation=self.centre.federation)
        self.sequence, self.previous = self.sequence + 1, sha256(document)
        return answer

    def registration(self) -> dict[str, Any]:
        return {
            "invitation": self.centre.codes[self.name],
            "terms": digest_of({"text": self.centre.federation.terms}),
            "confirmed_by": "Dr. Site",
            "key": {"algorithm": "ed25519", "public": self.public.hex()},
        }

    def register(self, *, confirm: bool = True) -> None:
        self.send("site-registration", **self.registration())
        if confirm:
            self.centre.confirm(self.name, fingerprint(self.public))

    def ready(self) -> "Sender":
        """Registered, confirmed, tested and sealed."""
        if self.name not in self.centre.codes:
            self.centre.invite(self.name)
        self.register()
        package = current_package(self.centre.federation)
        self.send(
            "compatibility",
            package=package.digest,
            dry_run={"passed": True, "largest_difference": 0.0},
            local={"passed": True, "without_value": 0},
            seconds_a_case=1.0,
            peak_memory_mb=None,
        )
        grades = {"acceptable": self.units, "borderline": 0, "insufficient": 0}
        self.send("manifest-seal", manifest=SEAL, version=1, units=self.units, cases=self.units, grades=grades)
        return self

    def result(self) -> dict[str, Any]:
        """Return the result that the site would send."""
        package = current_package(self.centre.federation)
        names = [entry["name"] for entry in package.document["algorithms"]]
        rules = self.centre.federation.rules
        summary = summarise(
            self.centre.phase.assessment,
            table(self.centre.phase.assessment, self.name, self.units, names, self.seed),
            site=self.name,
            site_column=rules["site_column"],
            disclosure=rules["disclosure"],
            replicates=200,
        )
        runs = [{"algorithm": n, "image": None, "predictions": "b" * 64, "status": "completed"} for n in sorted(names)]
        return {
            "manifest": SEAL,
            "package": package.digest,
            "attempt": 1,
            "runs": runs,
            "summary": json.loads(canonical_json(summary)),
        }

    def sent(self) -> "Sender":
        """Everything, up to its result."""
        self.ready()
        self.send("result", **self.result())
        return self


def table(assessment: Any, site: str, units: int, names: list[str], seed: int) -> pd.DataFrame:
    """Made-up values; the first algorithm is the best."""
    generator = np.random.default_rng(seed)
    metrics, regions = [m.name for m in assessment.metrics], [r.name for r in assessment.regions]
    rows = [
        {"algorithm": name, "case": f"{site}-{case:03d}", "region": region, "metric": metric, "outcome": "ok",
         "value": round(float(np.clip(generator.normal(0.9 - 0.05 * place, 0.05), 0, 1)), 6)}
        for case, metric, region, (place, name) in itertools.product(range(units), metrics, regions, enumerate(sorted(names)))
    ]  # fmt: skip
    return pd.DataFrame(rows)
