"""``sanity``: what looks wrong in a test set before it is sealed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.cli.inputs import progress_line, read_assessment, write_json
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("--references", type=Path, required=True, metavar="DIR", help="one label image per case")
    parser.add_argument("--images", type=Path, metavar="DIR", help="one image per case")
    parser.add_argument(
        "--assessment", type=Path, metavar="FILE", help="assessment whose regions name the labels of the task (JSON)"
    )
    parser.add_argument("--instances", action="store_true", help="labels are numbers of objects")
    parser.add_argument("--output", type=Path, metavar="FILE", help="findings as JSON; a list in words if absent")


def run(options: Namespace) -> int:
    """Check the test set and list the findings.

    Raises
    ------
    ReadError
        If a folder does not exist.
    """
    from evaluation.test_set_quality.sanity import check_folders

    labels: set[int] | None = None
    instances = options.instances
    if options.assessment is not None:
        assessment = read_assessment(options.assessment)
        instances = instances or kind_of(assessment).references.labels_number_objects
        labels = {int(label) for region in assessment.regions for label in region.labels} or None
    findings = check_folders(
        options.references,
        options.images,
        allowed_labels=labels,
        instances=instances,
        progress=progress_line("checked"),
    )
    if options.output is not None:
        write_json({"schema": 1, "findings": [finding.document for finding in findings]}, options.output)
    title = ""
    for finding in findings:
        if finding.rule.title != title:
            title = finding.rule.title
            sys.stdout.write(f"{title}. {finding.rule.reason} {finding.rule.remedy}\n")
        region = f", label {finding.region}" if finding.region else ""
        sys.stdout.write(f"  {finding.case}{region}: {finding.value}\n")
    sys.stdout.write(f"{len(findings)} findings\n")
    return 0
