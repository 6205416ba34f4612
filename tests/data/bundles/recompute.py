"""Write bundles of a schema from the results in older bundles, and one of simulated distances.

See README.md in this folder. Existing folders are never replaced.
"""

import csv
import io
import json
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT)]

from evaluation.assessment import parse  # noqa: E402
from evaluation.bundle import Published, TeamResult, chunks, contents  # noqa: E402
from evaluation.bundle.layout import result_digest  # noqa: E402
from evaluation.ranking.document import digest, rank  # noqa: E402
from evaluation.scoring.evidence import merge_evidence, read_evidence_bytes  # noqa: E402

HERE = Path(__file__).parent
SOURCES = HERE / "schema-1"
RESAMPLES = 200
DISTANCES = {
    "problem": "table",
    "metrics": [{"id": "value", "direction": "lower", "range": [0.0, None], "policy": {"missing": 100.0}}],
    "uncertainty": {"margin": {"value": 0.05}},
}


def main(folder: Path, schema: int, names: list[str]) -> None:
    """Write one bundle for each name into a new folder.

    Raises
    ------
    SystemExit
        If the folder exists.
    """
    if folder.exists():
        sys.exit(f"{folder} exists. Kept bundles are never created again.")
    folder.mkdir(parents=True)
    digests = {}
    for name in names:
        published, content = _simulated(schema) if name == "distances" else _recomputed(SOURCES / f"{name}.zip", schema)
        (folder / f"{name}.zip").write_bytes(content)
        digests[f"{name}.zip"] = published
    (folder / "digests.json").write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")


def _recomputed(path: Path, schema: int) -> tuple[str, bytes]:
    """Return the digest of a ranking by a schema, and its bundle."""
    assessment, tables = contents(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    cases = files["cases.csv"].decode() if "cases.csv" in files else None
    teams, evidence = [], {}
    for team in json.loads(files["bundle.json"])["teams"]:
        name, content = team["name"], files.get(team.get("evidence", ""))
        if content is not None:
            evidence[name] = read_evidence_bytes(content, name).renamed(name)
        teams.append(TeamResult(name, team["result_digest"], tables[name], content))
    merged = merge_evidence(evidence.items()) if evidence else None
    return _bundle(assessment.document, teams, schema, cases=cases, evidence=merged)


def _simulated(schema: int) -> tuple[str, bytes]:
    """Return a ranking of distances with rare large values, whose intervals could reach below 0."""
    generator = np.random.default_rng(34)
    names = [f"case-{number:02d}" for number in range(45)]
    teams = []
    for name, median in (("atlas", 0.9), ("forest", 0.7), ("network", 0.4)):
        values = median * generator.lognormal(0.0, 0.4, len(names))
        values[{"atlas": 3, "forest": 11, "network": 20}[name]] = 60.0
        table = pd.DataFrame(
            {"algorithm": name, "case": names, "region": "", "metric": "value", "value": values, "outcome": "ok",
             "image_diagonal": np.nan, "flag": ""}
        )  # fmt: skip
        teams.append(TeamResult(name, result_digest(table), table))
    return _bundle(DISTANCES, teams, schema)


def _bundle(
    document: Mapping[str, Any], teams: list[TeamResult], schema: int, *, cases: str | None = None, evidence: Any = None
) -> tuple[str, bytes]:
    assessment = parse(document)
    results = pd.concat([team.table.assign(algorithm=team.name) for team in teams], ignore_index=True)
    metadata = None if cases is None else pd.DataFrame(list(csv.DictReader(io.StringIO(cases))))
    ranking = rank(assessment, results, cases=metadata, evidence=evidence, bootstrap=RESAMPLES, schema=schema)
    published = Published(digest(ranking), ranking, {})
    return published.digest, b"".join(chunks(published, assessment, teams, cases=cases))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
