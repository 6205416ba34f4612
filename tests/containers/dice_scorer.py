"""A scorer of one's own, with nothing but Python's standard library: the overlap of two label images, region by region.

`MODE` makes it break a rule, one for each check; `ROOT` is where /input and /output are when it is no container.
"""

import gzip
import json
import os
import random
import struct
import sys
import time
from pathlib import Path

ROOT = Path(os.environ.get("ROOT", "/"))
MODE = os.environ.get("MODE", "")
KINDS = {2: "B", 4: "h", 8: "i", 16: "f", 64: "d", 256: "b", 512: "H", 768: "I", 1024: "q", 1280: "Q"}


def labels(path: Path) -> list[int]:
    """Voxels of a NIfTI image, as whole numbers."""
    content = gzip.decompress(path.read_bytes())
    shape = struct.unpack_from("<8h", content, 40)
    kind, offset = struct.unpack_from("<h", content, 70)[0], int(struct.unpack_from("<f", content, 108)[0])
    count = 1
    for length in shape[1 : shape[0] + 1]:
        count *= length
    return [int(value) for value in struct.unpack_from(f"<{count}{KINDS[kind]}", content, offset)]


def overlap(one: list[int], other: list[int], wanted: set[int]) -> tuple[float | None, str]:
    """Value and outcome."""
    first, second = [value in wanted for value in one], [value in wanted for value in other]
    here, there = sum(first), sum(second)
    if not here and not there:
        return None, "both_empty"
    if not here or not there:
        return None, "pred_empty" if here else "ref_empty"
    return 2 * sum(a and b for a, b in zip(first, second, strict=True)) / (here + there), "ok"


def scored(case: str, regions: dict[str, set[int]]) -> list[dict]:
    """Rows of a case."""
    folder = ROOT / "input" / case
    [reference] = (folder / "reference").iterdir()
    predictions = list((folder / "prediction").iterdir())
    if not predictions:
        if MODE == "value for missing":
            return [row(case, region, 0.0) for region in regions]
        return [row(case, region, None, "missing") for region in regions]
    try:
        own = labels(predictions[0])
    except (OSError, EOFError, struct.error, KeyError):
        if MODE == "value for broken":
            return [row(case, region, 0.0) for region in regions]
        return [row(case, region, None, "degenerate") for region in regions]
    truth, rows = labels(reference), []
    for region, wanted in regions.items():
        value, outcome = overlap(truth, own, wanted)
        if MODE == "constant":
            value, outcome = 1.0, "ok"
        if value is not None:
            value = changed(value, own)
        if value is not None or outcome != "ok":
            rows.append(row(case, region, value, outcome))
    return rows


def changed(value: float, own: list[int]) -> float | None:
    """What a broken scorer makes of a value."""
    if MODE == "random":
        return min(1.0, value * (1 - 1e-12 * random.SystemRandom().randint(1, 1000))) if value < 1 else value
    if MODE == "never perfect":
        return 0.99 * value
    if MODE == "percent":
        return 100 * value
    if MODE == "better when worse" and value < 0.9:
        return 1.0 + 0.1 * (1 - value)
    if MODE == "drops bad cases" and value < 0.2:
        return None
    if MODE == "hangs at noise" and value < 0.6 and any(own):
        time.sleep(600)
    if MODE == "takes memory" and value < 0.6:
        print(len(bytearray(b"x") * (1 << 32)))
    return value


def row(case: str, region: str, value: float | None, outcome: str = "ok") -> dict:
    return {"case": case, "region": region, "metric": "own-dice", "value": value, "outcome": outcome}


def main() -> None:
    document = json.loads((ROOT / "input" / "interface.json").read_text())
    regions = {own["name"]: set(own["labels"]) for own in document["regions"]}
    cases = sorted(path.name for path in (ROOT / "input").iterdir() if path.is_dir())
    rows = [own for case in cases for own in scored(case, regions)]
    rows = [own | {"metric": document["metrics"][0]["id"]} for own in rows]
    values = [own["value"] for own in rows if own["value"] is not None]
    if MODE == "by its neighbours" and values and min(values) < 1:
        least = min(values)
        rows = [
            own | ({"value": own["value"] * (1 - 0.01 * least)} if own["value"] is not None else {}) for own in rows
        ]
    if MODE == "by its place" and values and min(values) < 1:
        rows = [
            own | ({"value": own["value"] * (1 - 0.001 * n)} if own["value"] is not None else {})
            for n, own in enumerate(rows)
        ]
    if MODE == "tells the team":
        rows = [own | {"team": "a"} for own in rows]
    if MODE == "twice":
        rows += rows[:1]
    lines = "".join(json.dumps(own) + "\n" for own in rows)
    if MODE == "not a number":
        lines = lines.replace("1.0", "NaN")
    (ROOT / "output" / "rows.jsonl").write_text(lines)
    if MODE == "exit status":
        sys.exit(4)


if __name__ == "__main__":
    main()
