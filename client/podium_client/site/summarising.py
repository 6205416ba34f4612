"""The summary: made once, shown in full before it is signed, and the only numbers that leave."""

from typing import Any

import pandas as pd

from evaluation.canonical import canonical_json
from evaluation.federation import FederationError, summarise
from evaluation.federation.documents import digest_of
from podium_client.errors import ClientError
from podium_client.site import cases, guests, outbox, running
from podium_client.site.folder import SiteFolder, written


def make(site: SiteFolder) -> dict[str, Any]:
    """Make the summary from the sealed cases, or return the one that was made: it is never drawn a second time.

    Raises
    ------
    ClientError
        When results or the seal are not complete, or the numbers are too small to leave.
    """
    if site.has("summary.json") and site.read("summary.json")["package"] == digest_of(site.package):
        return site.read("summary.json")
    sealed = cases.check_seal(site)
    if sealed.get("small"):
        raise ClientError(
            "Nothing leaves: this site has too few cases for a summary. podium site hand-over joins another."
        )
    frame, runs = running.results(site)
    joined = guests.guests(site)
    rules = site.package["rules"]
    try:
        summary = summarise(
            site.assessment,
            pd.concat([frame, *guests.guest_results(site)], ignore_index=True),
            site=site.name,
            cases=pd.concat([cases.case_table(site), guests.guest_table(site)], ignore_index=True),
            site_column=site.site_column,
            disclosure=rules["disclosure"],
            minimum=int(rules["minimum_units"]),
            replicates=int(rules["replicates"]),
        )
    except (FederationError, ValueError) as error:
        raise ClientError(f"Nothing leaves: {error}.") from error
    content = {
        "manifest": sealed["manifest"],
        "package": digest_of(site.package),
        "attempt": 1 + sum(m.kind == "result" for m in [*outbox.former(site), *outbox.messages(site)]),
        "runs": runs,
        "summary": summary,
        **({"with": joined} if joined else {}),
    }
    written(site.path / "summary.json", canonical_json(content).encode())
    written(site.path / "summary.txt", preview(site, content).encode())
    site.note("summarised", digest=digest_of(content))
    return site.read("summary.json")


def is_signed(site: SiteFolder) -> bool:
    """Return whether the summary of the current package was signed."""
    sent = outbox.last(site, "result")
    return sent is not None and sent.message["package"] == digest_of(site.package)


def sign(site: SiteFolder, content: dict[str, Any]) -> outbox.Queued:
    """Sign exactly what was shown."""
    return outbox.queue(site, "result", content)


def preview(site: SiteFolder, content: dict[str, Any]) -> str:
    """Everything that will leave, as text: each number in its place, and what stays."""
    summary = content["summary"]
    lines = [
        f"Everything that will leave site {site.name}",
        "",
        f"  challenge    {site.facts['challenge']}, {site.facts['phase']}",
        f"  digest       {digest_of(content)}",
        f"  cases sealed {content['manifest']}",
        f"  package      {content['package']}",
        f"  units        {summary['units']} (at least {summary['minimum']} stand behind every number)",
    ]
    if content.get("with"):
        lines.append(f"  with         the cases of {', '.join(content['with'])}, which joined this site")
    if "grades" in summary:
        lines.append(f"  grades       {', '.join(f'{number} {grade}' for grade, number in summary['grades'].items())}")
    for run in content["runs"]:
        why = f", fault of the {run['attribution']}" if run.get("attribution") else ""
        by = f"image {run['image'][:19]}…" if run["image"] else "predictions carried in"
        lines.append(
            f"  run          {run['algorithm']}: {run['status']}{why}, {by}, SHA-256 {str(run.get('predictions'))[:12]}…"
        )
    for ranking in summary["rankings"]:
        lines += ["", f"Ranking {ranking['name'] or ''}".rstrip() + f" (sent as {ranking['kind']})"]
        for cell in ranking["cells"]:
            lines += _cell(cell, summary["algorithms"])
        lines += _beside(ranking, summary["algorithms"])
    lines += [
        "",
        "It stays here: names, values and files of cases, paths, logs, the secret of the seal, and every resample.",
        f"The same as a file: {site.path / 'summary.json'}",
    ]
    return "\n".join(lines) + "\n"


def _cell(cell: dict[str, Any], algorithms: list[str]) -> list[str]:
    title = ", ".join(str(cell[key]) for key in ("metric", "region", "task") if cell[key])
    keys = [key for key in ("n", "missing", "sum", "mean", "sd", "median", "tail", "p10", "place") if key in cell]
    scale = f", sums times {cell['scale']}" if "scale" in cell else ""
    rows = [["", *keys]]
    rows += [
        [name, *("-" if cell[key][index] is None else f"{cell[key][index]:.10g}" for key in keys)]
        for index, name in enumerate(algorithms)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    body = [
        "    "
        + "  ".join(
            [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    return [f"  {title}{scale}", *body]


def _beside(ranking: dict[str, Any], algorithms: list[str]) -> list[str]:
    lines = []
    if "site_score" in ranking:
        pairs = zip(algorithms, ranking["site_score"], strict=True)
        lines.append("  score of the site: " + ", ".join(f"{name} {value:.6g}" for name, value in pairs))
    if ranking.get("replicates"):
        rows = ranking["replicates"]["rows"]
        lines.append(
            f"  {ranking['replicates']['number']} resampled scores of the site, {len(rows)} different ones, "
            "drawn without a known seed: in the file"
        )
    if ranking.get("covariance"):
        covariance = ranking["covariance"]
        number = len(covariance.get("variances") or ()) or sum(len(row) for row in covariance["rows"])
        lines.append(
            f"  {number} numbers of covariance over {covariance['divisor']} units ({covariance['kind']}): in the file"
        )
    return lines
