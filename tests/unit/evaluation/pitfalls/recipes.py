"""Registry and shared helpers of the recipes that recompute the worked examples of the pitfall catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from evaluation.metrics import counting
from evaluation.metrics.counting import Counts
from evaluation.metrics.detection_values import evaluate
from evaluation.metrics.detections import Detections

EXAMPLES = {entry["id"]: entry for entry in json.loads((Path(__file__).parent / "examples.json").read_text())}
RECIPES = {}


def recipe(name):
    def register(function):
        RECIPES[name] = function
        return function

    return register


def value(result):
    return np.nan if result.value is None else result.value


def mask(rows):
    return np.asarray(rows, dtype=bool)


def box_mask(grid, box):
    image = np.zeros(grid, dtype=bool)
    image[box[0] : box[1], box[2] : box[3]] = True
    return image


def masks_of(inputs, names):
    return {name: mask(inputs[name]) for name in names}


def fbeta_of(tp, fp, fn, beta=1.0):
    return value(counting.fbeta(Counts.of(tp, fp, fn, 0), beta).result())


def detections(entries, references, images=1):
    tp = np.array([float(entry["tp"]) for entry in entries])
    scores = np.array([entry["score"] for entry in entries])
    counts = np.zeros(images, dtype=np.int64)
    counts[0] = references
    return Detections(counts, np.zeros(len(entries), dtype=np.int64), scores, tp, 1 - tp)


def single(metric, found, **options):
    return value(evaluate(metric, found, **options).result())


def ranks(values, *, higher):
    order = sorted(values, key=lambda name: -values[name] if higher else values[name])
    return {name: 1 + place for place, name in enumerate(order)}
