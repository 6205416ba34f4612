"""A small site joins another one: what it hands over. The centre never sees the small part."""

import hashlib
import io
from pathlib import Path
from typing import Any

from evaluation.federation import FederationError, joining
from evaluation.federation.documents import digest_of
from evaluation.federation.manifest import leaf
from evaluation.federation.scheme import inner_levels
from podium_client.errors import ClientError
from podium_client.site import cases, guests, outbox, running
from podium_client.site.folder import SiteFolder, written

_DOCUMENT = "handed-over.age"


def hand_over(site: SiteFolder, *, to: str, whom: str, target: Path) -> str:
    """Write the results of this site for another one, and sign that it joins it; returns the digest of the file.

    Raises
    ------
    ClientError
        Where the rule leaves small sites out, this one is not small, or something is missing.
    """
    if not guests.may_join(site):
        raise ClientError("The registered rule is that sites with too few cases are left out; they join no other.")
    sealed = cases.check_seal(site)
    if not sealed.get("small"):
        raise ClientError("This site has enough cases for a summary of its own: podium site summary.")
    before = outbox.last(site, "site-hand-over")
    if before is not None and before.message["to"] != to:
        raise ClientError(f"This site joined site {before.message['to']} already; once is all.")
    package = digest_of(site.package)
    if before is None or before.message["package"] != package:
        try:
            data = joining.sealed_for(whom, _document(site, to))
        except FederationError as error:
            raise ClientError(f"Nothing was written: {error}.") from error
        written(site.path / _DOCUMENT, data)
        digest = hashlib.sha256(data).hexdigest()
        outbox.queue(site, "site-hand-over", {"package": package, "to": to, "document": digest})
    data = (site.path / _DOCUMENT).read_bytes()
    written(target, data)
    return hashlib.sha256(data).hexdigest()


def _document(site: SiteFolder, to: str) -> dict[str, Any]:
    """The results of every algorithm, with names of cases and patients that only this site can undo."""
    table, sealed = cases.case_table(site), {case.case: case for case in cases.sealed_cases(site)}
    levels = [name for name in inner_levels(site.assessment, site.site_column) if name != "case"]
    names = joining.opaque(site.secret, site.name, sealed)
    frame, _ = running.results(site)
    frame = frame[frame["case"].astype(str).isin(names)]
    text = io.StringIO()
    frame.assign(case=frame["case"].astype(str).map(names)).to_csv(text, index=False)
    by_case = table.set_index("case")
    return {
        "schema": "podium.site-handed-over/1",
        "site": site.name,
        "to": to,
        "federation": site.facts["federation"],
        "package": digest_of(site.package),
        "algorithms": site.algorithms,
        "cases": [
            {
                "case": names[name],
                "leaf": leaf(site.secret, case),
                "grade": case.grade,
                "levels": {
                    level: joining.opaque(site.secret, site.name, [str(by_case.loc[name, level])])[
                        str(by_case.loc[name, level])
                    ]
                    for level in levels
                },
            }
            for name, case in sorted(sealed.items())
        ],
        "results": text.getvalue(),
    }
