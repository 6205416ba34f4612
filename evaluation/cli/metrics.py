"""``python -m evaluation metrics``: what can be measured."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--json", action="store_true", help="everything about them, as JSON")


def run(options: Namespace) -> int:
    """Print the catalogue."""
    from evaluation.catalogue import all_metrics

    metrics = all_metrics()
    if options.json:
        json.dump([metric.as_document() for metric in metrics], sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
        return 0
    width = max(len(metric.id) for metric in metrics)
    for metric in metrics:
        categories = ", ".join(metric.categories)
        sys.stdout.write(f"{metric.id:<{width}}  {metric.name} ({categories}; {metric.direction} is better)\n")
    return 0
