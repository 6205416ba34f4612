"""``suspects``: references that independent algorithms and the image contradict."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.cli import InputError
from evaluation.cli.inputs import progress_line, read_assessment, write_json
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("--references", type=Path, required=True, metavar="DIR", help="one label image per case")
    parser.add_argument("--predictions", type=Path, required=True, metavar="DIR", help="one folder per algorithm")
    parser.add_argument("--images", type=Path, metavar="DIR", help="one image per case; recommended")
    parser.add_argument(
        "--assessment", type=Path, metavar="FILE", help="assessment with the regions (JSON); one per label if absent"
    )
    parser.add_argument("--instances", action="store_true", help="labels are numbers of objects")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of samples (default: 1)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="all cases with scores as JSON")


def run(options: Namespace) -> int:
    """Score all cases and list the suspects.

    Raises
    ------
    InputError
        If there is no folder of an algorithm, or regions are not labels.
    """
    from evaluation.test_set_quality.folders import label_regions, read_cases
    from evaluation.test_set_quality.suspects import Study

    if not options.predictions.is_dir():
        message = f"--predictions: there is no folder {options.predictions}"
        raise InputError(message)
    folders = {path.name: path for path in sorted(options.predictions.iterdir()) if path.is_dir()}
    if not folders:
        message = f"--predictions: {options.predictions} has no folder of an algorithm"
        raise InputError(message)
    assessment = read_assessment(options.assessment) if options.assessment is not None else None
    instances = options.instances or (assessment is not None and kind_of(assessment).references.labels_number_objects)
    cases = read_cases(options.references, folders, options.images, instances=instances)
    regions = label_regions(cases)
    if assessment is not None and not instances:
        regions = {region.name: tuple(int(label) for label in region.labels) for region in assessment.regions}
    report = Study(cases, regions, progress=progress_line("prepared")).suspects(seed=options.seed)
    if options.output is not None:
        write_json(report.document, options.output)
    for item in report.suspects:
        voxel_index = ", ".join(str(index) for index in item.spot.index)
        excess = "additional" if item.spot.excess > 0 else "missing"
        sys.stdout.write(
            f"{item.case}, {item.region}: {'; '.join(item.reasons)}; largest difference at voxel {voxel_index} ({excess})\n"
        )
    sys.stdout.write(
        f"{len(report.suspects)} of {len(report.cases)} references are suspect; "
        f"{report.expected_false:.2g} are expected without any wrong reference. "
        f"{report.panel.independent} of {len(report.panel.names)} algorithms count as independent.\n"
    )
    return 0
