"""Four sites with the cases of the hippocampus example as processes of their own: by file, tampered, too small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking import rank

from .examples import PER_SITE

ROOT = Path(__file__).parents[4]
SIZES = {"north": 26, "east": 18, "3": 12, "tiny": 4}


def _run(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one command without a network, so that every attempt to connect a socket fails."""
    guard = folder / "sitecustomize.py"
    guard.write_text(
        "import socket\ndef _no(*a, **k): raise OSError('no network at a site')\nsocket.socket.connect = _no\n"
    )
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{folder}:{ROOT}", "HOME": str(folder)}
    command = [sys.executable, "-m", "evaluation", *map(str, words)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def tables() -> dict[str, pd.DataFrame]:
    """The example's cases, divided by name, with values made up from their voxel counts for three algorithms."""
    cases = pd.read_csv(ROOT / "examples" / "hippocampus" / "cases.csv")
    names = sorted(cases["case"])
    voxels = cases.set_index("case")["anterior_voxels"]
    rows = [
        {"algorithm": f"net-{j}", "case": name, "region": "anterior", "metric": "dsc", "outcome": "ok",
         "value": round(0.6 + (int(voxels[name]) * (j + 3) % 997) / 4000 + 0.05 * j, 6)}
        for name in names for j in range(3)
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    divided, start = {}, 0
    for site, size in SIZES.items():
        divided[site] = frame[frame["case"].isin(names[start : start + size])]
        start += size
    assert start == len(names)
    return divided


def test_four_sites(tmp_path: Path, tables: dict[str, pd.DataFrame]) -> None:
    document: dict[str, Any] = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "anterior", "labels": [1]}],
        "metrics": [{"id": "dsc", "policy": {"missing": "worst_rank"}}],
        "ranking": {"scheme": "rank_then_aggregate", "combine": PER_SITE},
        "uncertainty": {"bootstrap": 200, "seed": 1, "resample": "case", "strata": ["site"]},
    }
    centre = tmp_path / "centre"
    centre.mkdir()
    (centre / "assessment.json").write_text(json.dumps(document))
    for site, table in tables.items():
        folder = tmp_path / site
        folder.mkdir()
        table.to_csv(folder / "results.csv", index=False)
        (folder / "assessment.json").write_text(json.dumps(document))
        done = _run("site-summary", "assessment.json", "--site", site, "--results", "results.csv", "--output", "summary.json", folder=folder)  # fmt: skip
        if site == "tiny":
            assert done.returncode == 2
            assert done.stderr == "site-summary: site tiny has fewer than the minimum of 10 units\n"
            assert not (folder / "summary.json").exists()
            continue
        assert done.returncode == 0, done.stderr
        sent = (folder / "summary.json").read_bytes()
        assert not [case for case in table["case"] if case.encode() in sent]
        assert str(folder).encode() not in sent
        (centre / f"{site}.json").write_bytes(sent)  # carried by hand
    good = (centre / "3.json").read_text()
    tampered = json.loads(good)
    tampered["rankings"][0]["cells"][0]["sum"][0] -= 3
    (centre / "3.json").write_text(json.dumps(tampered))
    files = [f"{site}.json" for site in SIZES if site != "tiny"]
    refused = _run("pool", "assessment.json", "--summaries", *files, folder=centre)
    assert refused.returncode == 2
    assert refused.stderr.startswith("pool: site 3: rankings[0]")
    (centre / "3.json").write_text(good)
    rows = [{"site": s, "state": "included"} for s in SIZES if s != "tiny"]
    rows.append({"site": "tiny", "state": "refused", "reason": "too few cases (fewer than 10)"})
    (centre / "federation.json").write_text(json.dumps({"schema": "podium.federation/1", "sites": rows}))
    done = _run("pool", "assessment.json", "--summaries", *files, "--federation", "federation.json", "--output", "ranking.json", folder=centre)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads((centre / "ranking.json").read_text())
    assert "Site tiny was refused: too few cases (fewer than 10)." in found["pooled"]["notes"]
    included = {site: table for site, table in tables.items() if site != "tiny"}
    cases = pd.concat([pd.DataFrame({"case": sorted(set(t["case"])), "site": s}) for s, t in included.items()])
    central = rank(parse(document), pd.concat(included.values()), cases=cases, bootstrap=0)
    assert [(r["name"], r["rank"]) for r in found["overall"]["algorithms"]] == [
        (r["name"], r["rank"]) for r in central["overall"]["algorithms"]
    ]
    same = _run("pool", "assessment.json", "--summaries", *files[::-1], "--federation", "federation.json", "--verify", "ranking.json", folder=centre)  # fmt: skip
    assert (same.returncode, same.stdout) == (0, "The published ranking follows from these summaries.\n")
    found["overall"]["algorithms"][0]["score"] = 1.01
    (centre / "ranking.json").write_text(json.dumps(found))
    other = _run("pool", "assessment.json", "--summaries", *files, "--federation", "federation.json", "--verify", "ranking.json", folder=centre)  # fmt: skip
    assert other.returncode == 1
