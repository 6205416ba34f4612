"""How many files of ours a submission runs through until its result and its rank, and how far `finish_run` reaches.

Whoever takes the house over has to read these. Run it with ``-s`` to see the figures::

    python -m pytest -q -s tests/integration/submissions/test_way_of_a_submission.py

Traced with `sys.setprofile` in the parent process (children read strangers' files by themselves), after one submission
has warmed all caches and imports.
"""

import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from leaderboards.services import rankings
from submissions.models import Chunk, Run, Submission
from submissions.services import scoring, validation
from tests.integration.submissions.world import World, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
OWN = tuple(f"{Path(settings.ROOT, folder)}/" for folder in ("platform", "evaluation", "confinement"))
# May only shrink.
MOST_FILES = 112
MOST_MODULES = 24


class Trace:
    """Files of this project in which a function was called, in the order of the first call."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}

    def __call__(self, frame, event, _argument) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OWN) and frame.f_code.co_name != "<module>":
            self.files.setdefault(frame.f_code.co_filename)

    @contextmanager
    def watching(self):
        before = sys.getprofile()
        sys.setprofile(self)
        try:
            yield self
        finally:
            sys.setprofile(before)

    def __len__(self) -> int:
        return len(self.files)


def listed(file: str) -> str:
    """Its path in the project, and how many lines a reader has before them."""
    return f"{Path(file).relative_to(settings.ROOT)}  {len(Path(file).read_text().splitlines())}"


def handed_in(world: World) -> Submission:
    return world.upload(zipped(predictions()))


def score(submission: Submission) -> Run:
    """Validate and score all chunks; the last one finishes the run."""
    validation.validate(submission_id=submission.pk)
    run = submission.runs.get()
    while Chunk.objects.filter(run=run).exclude(state=Chunk.State.DONE).exists():
        scoring.score_next_chunk()
    run.refresh_from_db()
    assert run.is_finished
    return run


def test_few_files_lead_from_an_upload_to_a_rank(world: World, monkeypatch):
    finish_run = scoring.finish_run
    score(handed_in(world))
    rankings.request_ranking(world.phase.pk)
    rankings.rank_phase(phase_id=world.phase.pk)
    until_result, finishing, ranking = Trace(), Trace(), Trace()

    def finish(**ids) -> None:
        with finishing.watching():
            finish_run(**ids)

    monkeypatch.setattr(scoring, "finish_run", finish)
    with until_result.watching():
        score(handed_in(world))
    rankings.request_ranking(world.phase.pk)
    with ranking.watching():
        assert rankings.rank_phase(phase_id=world.phase.pk) is not None
    result = {**until_result.files, **finishing.files}
    rank = {**result, **ranking.files}
    print(f"\nfiles until the result: {len(result)}, until the rank: {len(rank)}, below finish_run: {len(finishing)}")
    for heading, files in (
        ("until the result", until_result),
        ("below finish_run", finishing),
        ("until the rank", ranking),
    ):
        print(f"\n{heading}:", *(listed(file) for file in files.files), sep="\n  ")
    assert finishing.files
    assert len(rank) <= MOST_FILES
    assert len(finishing) <= MOST_MODULES
