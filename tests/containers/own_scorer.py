"""A custom scorer that uses only Python's standard library and rates agreement from 0 to 1.

It rates how well prediction and reference agree. The files in the folders of a case decide which measure is used:

- the overlap of two label images, with classes of objects if there is a table of instances
- the mean difference of two images
- the share of detected objects or landmarks
- the agreement of classes
- the difference of numbers

`MODE` makes the scorer break a rule, one for each check. `ROOT` contains /input and /output outside a container.
"""

import csv
import gzip
import json
import os
import random
import struct
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(os.environ.get("ROOT", "/"))
MODE = os.environ.get("MODE", "")
KINDS = {2: "B", 4: "h", 8: "i", 16: "f", 64: "d", 256: "b", 512: "H", 768: "I", 1024: "q", 1280: "Q"}
TIFF_KINDS = {(1, 8): "B", (1, 16): "H", (1, 32): "I", (2, 16): "h", (2, 32): "i", (3, 32): "f", (3, 64): "d"}
REACH = 1.0
Files = dict[str, Path]


# --- Reading ----------------------------------------------------------------------------------------------------------
def voxels(path: Path) -> tuple[float, ...]:
    """Numbers of a NIfTI or TIFF image."""
    content = path.read_bytes()
    if path.name.endswith(".tif"):
        return tiff(content)
    content = gzip.decompress(content)
    shape = struct.unpack_from("<8h", content, 40)
    kind, offset = struct.unpack_from("<h", content, 70)[0], int(struct.unpack_from("<f", content, 108)[0])
    count = 1
    for length in shape[1 : shape[0] + 1]:
        count *= length
    return struct.unpack_from(f"<{count}{KINDS[kind]}", content, offset)


def tiff(content: bytes) -> tuple[float, ...]:
    """Numbers of all pages of a TIFF image, plain or packed by zlib."""
    order = {b"II": "<", b"MM": ">"}[content[:2]]
    directory = struct.unpack_from(f"{order}I", content, 4)[0]
    numbers: list[float] = []
    while directory:
        count = struct.unpack_from(f"{order}H", content, directory)[0]
        fields = {}
        for entry in range(directory + 2, directory + 2 + 12 * count, 12):
            tag, kind, number = struct.unpack_from(f"{order}HHI", content, entry)
            letter = {3: "H", 4: "I"}.get(kind)
            if letter:
                inside = number * struct.calcsize(letter) <= 4
                at = entry + 8 if inside else struct.unpack_from(f"{order}I", content, entry + 8)[0]
                fields[tag] = struct.unpack_from(f"{order}{number}{letter}", content, at)
        letter = TIFF_KINDS[fields.get(339, (1,))[0], fields[258][0]]
        for offset, size in zip(fields[273], fields[279], strict=True):
            strip = content[offset : offset + size]
            plain = strip if fields[259][0] == 1 else zlib.decompress(strip)
            numbers += struct.unpack(f"{order}{len(plain) // struct.calcsize(letter)}{letter}", plain)
        directory = struct.unpack_from(f"{order}I", content, directory + 2 + 12 * count)[0]
    return tuple(numbers)


def table(path: Path) -> list[dict[str, str]]:
    """Rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames is None:
            raise ValueError("no table")
        return list(reader)


def named(files: Files, stem: str) -> Path | None:
    """The file of a stem, if it is there."""
    return next((path for name, path in files.items() if name.startswith(f"{stem}.")), None)


# --- Measuring --------------------------------------------------------------------------------------------------------
Value = tuple[float | None, str]


def overlap(first: Sequence[bool], second: Sequence[bool]) -> Value:
    """Twice what both have, over what each has."""
    here, second_count = sum(first), sum(second)
    if not here and not second_count:
        return None, "both_empty"
    if not here or not second_count:
        return None, "pred_empty" if here else "ref_empty"
    return 2 * sum(a and b for a, b in zip(first, second, strict=True)) / (here + second_count), "ok"


def masks(files: Files, wanted: set) -> list[bool]:
    """Return the mask of the voxels that have a label in `wanted` or belong to an object of a class in `wanted`.

    If no label or class is named, the mask contains every object.
    """
    labels = [int(value) for value in voxels(named(files, "labels"))]
    instance_table = named(files, "instances")
    if instance_table is not None:
        instances = {int(row["instance"]) for row in table(instance_table) if not wanted or row["class"] in wanted}
        return [value in instances for value in labels]
    numbers = {label for label in wanted if isinstance(label, int)}
    return [value in numbers if numbers else value > 0 for value in labels]


def of_labels(reference: Files, prediction: Files, wanted: set) -> Value:
    return overlap(masks(reference, wanted), masks(prediction, wanted))


def of_images(reference: Files, prediction: Files, wanted: set) -> Value:
    truth, predicted = voxels(named(reference, "image")), voxels(named(prediction, "image"))
    mask = named(reference, "mask")
    inside = [not wanted or int(value) in wanted for value in voxels(mask)] if mask else [True] * len(truth)
    pairs = [(a, b) for a, b, counts in zip(truth, predicted, inside, strict=True) if counts]
    reach = (max(truth) - min(truth)) or 1.0
    return max(0.0, 1 - sum(abs(a - b) for a, b in pairs) / reach / max(len(pairs), 1)), "ok"


def of_objects(reference: Files, prediction: Files, wanted: set) -> Value:
    def places(path: Path) -> list[tuple]:
        rows_that_count = [
            row for row in table(path) if row.get("ignore") != "1" and (not wanted or row["class"] in wanted)
        ]
        return [
            tuple(float(v) for k, v in row.items() if k not in ("class", "score", "ignore")) for row in rows_that_count
        ]

    truth, predicted = places(named(reference, "objects")), places(named(prediction, "objects"))
    if not truth or not predicted:
        return overlap([True] * len(truth), [True] * len(predicted))
    return 2 * sum(point in predicted for point in truth) / (len(truth) + len(predicted)), "ok"


def of_landmarks(reference: Files, prediction: Files, wanted: set) -> Value:
    def places(path: Path) -> dict[str, tuple]:
        return {
            row.pop("landmark"): tuple(map(float, row.values()))
            for row in table(path)
            if not wanted or row["landmark"] in wanted
        }

    truth, predicted = places(named(reference, "landmarks")), places(named(prediction, "landmarks"))
    near = [
        name in predicted and sum((a - b) ** 2 for a, b in zip(point, predicted[name], strict=True)) <= REACH**2
        for name, point in truth.items()
    ]
    return (sum(near) / len(near), "ok") if near else (None, "ref_empty")


def of_classes(reference: Files, prediction: Files, wanted: set) -> Value:
    [truth], [answer] = table(named(reference, "labels")), table(named(prediction, "labels"))
    if "label" in truth:
        scores = {name.removeprefix("p_"): float(value) for name, value in answer.items() if name != "label" and value}
        decided = answer["label"] or max(scores, key=scores.__getitem__)
        right = truth["label"] == decided
        return float(right), "ok"
    stated_answers = {name: answer[name] or answer[f"p_{name}"] for name in truth}
    stated_labels = [name for name, value in truth.items() if value and (not wanted or name in wanted)]
    if not stated_labels:
        return None, "degenerate"
    return sum((float(stated_answers[name]) >= 0.5) == (float(truth[name]) >= 0.5) for name in stated_labels) / len(
        stated_labels
    ), "ok"


def of_numbers(reference: Files, prediction: Files, wanted: set) -> Value:
    [truth], [answer] = table(named(reference, "values")), table(named(prediction, "values"))
    stated_targets = [name for name, value in truth.items() if value and (not wanted or name in wanted)]
    if not stated_targets or not all(answer[name] for name in stated_targets):
        return None, "degenerate"
    return 1 / (
        1 + sum(abs(float(answer[name]) - float(truth[name])) for name in stated_targets) / len(stated_targets)
    ), "ok"


MEASURES: dict[str, Callable[[Files, Files, set], Value]] = {
    "objects.csv": of_objects,
    "landmarks.csv": of_landmarks,
    "labels.csv": of_classes,
    "values.csv": of_numbers,
    "image": of_images,
    "labels": of_labels,
}


# --- Answering --------------------------------------------------------------------------------------------------------
def scored(case: str, regions: dict[str | None, set]) -> list[dict]:
    """Rows of a case."""
    folder = ROOT / "input" / case
    reference, prediction = (
        {path.name: path for path in (folder / part).iterdir()} for part in ("reference", "prediction")
    )
    if not prediction:
        if MODE == "value for missing":
            return [row(case, region, 0.0) for region in regions]
        return [row(case, region, None, "missing") for region in regions]
    measure = next(
        own_measure for name, own_measure in MEASURES.items() if any(file.startswith(name) for file in reference)
    )
    rows = []
    for region, wanted in regions.items():
        try:
            value, outcome = measure(reference, prediction, wanted)
        except (OSError, EOFError, struct.error, KeyError, ValueError, TypeError, zlib.error):
            value, outcome = (0.0, "ok") if MODE == "value for broken" else (None, "degenerate")
            rows.append(row(case, region, value, outcome))
            continue
        if MODE == "constant":
            value, outcome = 1.0, "ok"
        if value is not None:
            value = changed(value)
        if value is not None or outcome != "ok":
            rows.append(row(case, region, value, outcome))
    return rows


def changed(value: float) -> float | None:
    """Return a value as the broken scorer selected by `MODE` reports it."""
    if MODE == "random":
        return value + (1 - value) * 1e-6 * random.SystemRandom().random()
    if MODE == "never perfect":
        return 0.99 * value
    if MODE == "percent":
        return 100 * value
    if MODE == "better when worse" and value < 0.9:
        return 1.0 + 0.1 * (1 - value)
    if MODE == "drops bad cases" and value < 0.6:
        return None
    if MODE == "hangs at noise" and value < 0.6:
        time.sleep(600)
    if MODE == "takes memory" and value < 0.6:
        print(len(bytearray(b"x") * (1 << 32)))
    return value


def row(case: str, region: str | None, value: float | None, outcome: str = "ok") -> dict:
    return {"case": case, "region": region, "metric": "", "value": value, "outcome": outcome}


def main() -> None:
    document = json.loads((ROOT / "input" / "interface.json").read_text())
    regions = {region["name"]: set(region["labels"]) for region in document["regions"]} or {None: set()}
    cases = sorted(path.name for path in (ROOT / "input").iterdir() if path.is_dir())
    rows = [row for case in cases for row in scored(case, regions)]
    rows = [row | {"metric": document["metrics"][0]["id"]} for row in rows]
    for number, row in enumerate(rows):
        if row["value"] is not None and row["value"] < 1:
            if MODE == "by its neighbours":
                row["value"] += (1 - row["value"]) * 0.001 * len(cases)
            if MODE == "by its place":
                row["value"] += (1 - row["value"]) * 0.001 * number
    if MODE == "tells the team":
        rows = [row | {"team": "a"} for row in rows]
    if MODE == "twice":
        rows += rows[:1]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if MODE == "not a number":
        lines = lines.replace("1.0", "NaN")
    (ROOT / "output" / "rows.jsonl").write_text(lines)
    if MODE == "exit status":
        sys.exit(4)


if __name__ == "__main__":
    main()
