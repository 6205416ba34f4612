"""Rehearsal of a design: sample data of its own kind are sealed, submitted, validated, scored and ranked as at launch.

A rehearsal needs no platform and no data of the organizers. It calls the functions that the platform calls
(`evaluation.admission`, the kind of problem, `evaluation.scoring.assembling`, `evaluation.ranking`), and compares every
value with a direct call of the metric (`evaluation.problems.direct_values`). `rehearse_sample` takes references and
submissions of the organizers instead.
"""

from evaluation.rehearsal.outcome import (
    Comparison,
    Obstacle,
    Rehearsal,
    SampleSubmission,
    SampleValue,
    Standing,
    TaskRehearsal,
)
from evaluation.rehearsal.running import OwnSample, rehearse, rehearse_assessment, rehearse_sample

__all__ = [
    "Comparison",
    "Obstacle",
    "OwnSample",
    "Rehearsal",
    "SampleSubmission",
    "SampleValue",
    "Standing",
    "TaskRehearsal",
    "rehearse",
    "rehearse_assessment",
    "rehearse_sample",
]
