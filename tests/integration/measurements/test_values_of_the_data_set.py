"""One value of the whole data set for each team, measured outside: with replicates, with standard errors, or with nothing."""

import html
import json
import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from datastore.uploads.storage import load_json, open_stored
from evaluation import verify
from evaluation.ranking.reading import overall
from leaderboards.services import bundles, rankings
from reports.domain.content import Ledger
from reports.exposure.queries.facts import Audience, collect
from reports.services.items.generating import generate
from reports.services.items.source import Source
from submissions.measurements.domain.values import ImpossibleError, checked
from submissions.measurements.models import Measurement
from submissions.measurements.queries import fitting_of
from submissions.measurements.services import tables
from submissions.measurements.services.tables import Sent
from submissions.models import Run
from tests.integration.leaderboards.conftest import storage_folder, surroundings
from tests.integration.measurements import outside
from tests.unit.registry.test_every_category import SEAM

__all__ = ["storage_folder", "surroundings"]
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Values are computed from a table. `test_from_design_to_bundle.py` stores tables on both databases."
    ),
]
RETRIEVAL = {
    "task_category": ["retrieval"],
    "metrics": [{
        **SEAM, "name": {"other": "mean average precision of retrieval"}, "abbreviation": "RAP", "orientation": "higher",
        "range_min": 0, "range_max": 1, "open_range": None, "worst_value": 0, "unit": "none", "level": "data_set",
    }],
    "ranking_method": [{"name": "Retrieval", "metrics": ["RAP"], "scheme": "data_set_score", "metric_aggregation": "single_metric"}],
    "uncertainty_handling": ["bootstrapping"],
}  # fmt: skip
VALUES = {"yew": 0.8, "oak": 0.7, "elm": 0.3}


def launched(slug="retrieval", **task):
    found = outside.launched(slug, **{**RETRIEVAL, **task})
    outside.with_cases(found[1])
    return found


def replicates(values=VALUES, *, number=200, spread=0.1, seed=1, first=0) -> Sent:
    """Values on the same resamples for every team."""
    draw = random.Random(seed)
    shared = [draw.gauss(0, spread) for _ in range(number)]
    rows = ["algorithm,metric,replicate,value"]
    for team, value in values.items():
        rows += [
            f"{team},RAP,{first + k},{min(1, max(0, value + shift + draw.gauss(0, 0.02)))}"
            for k, shift in enumerate(shared)
        ]
    return Sent("replicates.csv", ("\n".join(rows) + "\n").encode())


def values(table=VALUES, error=None) -> str:
    head, tail = ("algorithm,metric,value,se", f",{error}") if error else ("algorithm,metric,value", "")
    return "\n".join([head, *(f"{team},RAP,{value}{tail}" for team, value in table.items())]) + "\n"


def ranked(phase):
    rankings.request_ranking(phase.pk)
    return rankings.rank_phase(phase_id=phase.pk)


def document_of(version):
    return load_json(version.document_name)


def board_of(challenge):
    """Return the text of the public leaderboard page."""
    page = Client().get(reverse("leaderboards:current", args=[challenge.slug, "final"]))
    return html.unescape(page.content.decode())


def statistics_of(challenge):
    """Return the report's sentences about the statistics."""
    source = Source(facts=collect(challenge, audience=Audience.ORGANIZERS), ledger=Ledger(), exposure=())
    return " ".join(sentence.text for text in generate("31a", source).text for sentence in text)


def test_replicates_stand_for_draws_from_the_table_to_the_verified_bundle(tmp_path):
    challenge, phase, _ = launched(
        challenge={"phase_settings": [{"phase": "Final phase", "leaderboard": "public", "results": "cases"}]}
    )
    [metric] = phase.assessment.metrics
    assert (metric.level, "without_uncertainty" in metric.options) == ("dataset", False)
    table = outside.sealed(phase, values(), replicates=replicates(), makes_teams=True)
    runs = {run.submission.team.name: run for run in Run.objects.filter(counts=True).select_related("submission__team")}
    assert set(runs) == set(VALUES)
    assert all(run.evidence_file for run in runs.values())
    version = ranked(phase)
    order = version.table["orders"][0]
    assert dict(zip(version.table["teams"], order["rank"], strict=True)) == {"yew": 1, "oak": 2, "elm": 3}
    document = document_of(version)
    [entry] = overall(document)
    assert document["resampling"]["given"]
    assert (entry["resampled"], document["bootstrap"]) == (True, 50), (
        "as many as are registered, of the 200 that were sent"
    )
    board = board_of(challenge)
    assert "Values measured outside Podium" in board
    assert table.digest in board
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(bundles.chunks(version, key="final")))
    verdict = verify(file, digest=version.digest)
    assert verdict.same, verdict.places


def test_standard_errors_are_said_to_make_intervals_too_wide():
    challenge, phase, _ = launched(
        challenge={"phase_settings": [{"phase": "Final phase", "leaderboard": "public", "results": "cases"}]}
    )
    table = outside.sealed(phase, values(error=0.05), makes_teams=True)
    assert table.preview["teams"][0]["uncertainty"] == ["RAP 0.8, standard error 0.05"]
    ranked(phase)
    assert "draws of RAP from submitted replicates" in statistics_of(challenge)
    assert "where all were measured on the same cases, its ranges are too wide" in board_of(challenge)


def test_without_uncertainty_no_rank_is_shown_as_certain_on_board_and_in_report(tmp_path):
    challenge, phase, _ = launched(
        uncertainty_handling=["none"],
        challenge={"phase_settings": [{"phase": "Final phase", "leaderboard": "public", "results": "cases"}]},
    )
    outside.sealed(phase, values(), makes_teams=True)
    version = ranked(phase)
    [entry] = overall(document_of(version))
    assert (entry["resampled"], entry["winner"]["reason"]) == (False, "not_given")
    board = board_of(challenge)
    assert "how certain that is cannot be said" in board
    assert "he uncertainty of RAP is unknown" in board
    assert "first in" not in board
    assert "resampling range" not in board.partition("How to read the table")[0].rpartition("<tbody>")[2]
    assert "the ranking was not resampled, so nothing says how sure it is" in statistics_of(challenge)
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(bundles.chunks(version, key="final")))
    assert verify(file, digest=version.digest).same


def test_without_what_the_design_wants_nothing_is_sealed():
    _, phase, _ = launched()
    table = outside.brought(phase, values(), makes_teams=True)
    assert len(table.problems) == 1
    assert "replicates" in table.problems[0]
    assert not table.may_be_sealed


def test_a_later_version_has_the_same_draws_as_those_that_stand():
    _, phase, _ = launched()
    outside.sealed(phase, values(), replicates=replicates(), makes_teams=True)
    own = {"oak": 0.9}
    later = outside.brought(phase, values(own), replicates=replicates(own, first=1))
    assert len(later.problems) == 1
    assert "with other ones" in later.problems[0]
    later = outside.brought(phase, values(own, error=0.1))
    assert "comes with standard errors, and that of" in later.problems[0]
    later = outside.sealed(phase, values(own), replicates=replicates(own))
    assert later.version == 2
    version = ranked(phase)
    assert dict(zip(version.table["teams"], version.table["orders"][0]["rank"], strict=True))["oak"] == 1


def test_the_digest_covers_the_replicates():
    _, phase, _ = launched()
    first = outside.sealed(phase, values(), replicates=replicates(), makes_teams=True)
    again = outside.sealed(phase, values(), replicates=replicates(seed=2))
    assert first.sha256 == again.sha256
    assert first.replicates_sha256 != again.replicates_sha256
    assert first.digest != again.digest
    results = {run.result_digest for run in Run.objects.filter(submission__team__name="yew")}
    assert len(results) == 2, "a result is its rows and what is known of their uncertainty"


REPORTED = {
    "a replicate that is no number": lambda said: said["replicates"]["yew"][0].__setitem__(0, float("nan")),
    "a replicate outside the range": lambda said: said["replicates"]["yew"][0].__setitem__(0, 7.0),
    "fewer replicates than names": lambda said: said["replicates"]["yew"][0].pop(),
    "a standard error beside replicates": lambda said: said["errors"]["yew"].__setitem__(0, 0.1),
    "no uncertainty": lambda said: said["replicates"]["yew"].__setitem__(0, None),
    "uncertainty of a missing value": lambda said: said["teams"]["yew"].__setitem__(-1, None),
    "another team": lambda said: said["teams"].__setitem__("fir", said["teams"].pop("yew")),
    "names that are no text": lambda said: said["numbers"].__setitem__(0, 3),
    "one more key": lambda said: said.__setitem__("more", 1),
}


@pytest.mark.parametrize("name", REPORTED)
def test_what_a_child_may_not_report_is_not_taken(name):
    _, phase, _ = launched()
    table = outside.brought(phase, values(), replicates=replicates(), makes_teams=True)
    fitting = fitting_of(table)
    with open_stored(table.values_file) as stream:
        said = json.loads(stream.read())
    checked(json.loads(json.dumps(said)), fitting, teams=list(VALUES))
    REPORTED[name](said)
    with pytest.raises(ImpossibleError):
        checked(said, fitting, teams=list(VALUES))


def test_the_form_takes_the_replicates_beside_the_table_and_the_page_gives_both_back():
    challenge, phase, registered = launched()
    client = Client()
    client.force_login(registered.owner)
    address = reverse("measurements:tables", args=[challenge.slug])
    page = client.get(address, {"phase": phase.pk}).content.decode()
    assert "at least 200 replicates in a second file" in page
    sent = replicates()
    answer = client.post(address, {
        "phase": phase.pk, "file": SimpleUploadedFile("values.csv", values().encode()),
        "replicates": SimpleUploadedFile(sent.name, sent.content), "makes_teams": "on",
        "measured_by": "A", "measured_with": "B", "measured_when": "C",
    })  # fmt: skip
    assert answer.status_code == 302
    table = outside.worked(Measurement.objects.get(kind="values"))
    assert table.problems == []
    page = client.get(table.get_absolute_url()).content.decode()
    assert "RAP 0.8, 200 replicates" in page
    given = client.get(reverse("measurements:replicates", args=[challenge.slug, table.pk]))
    assert given.content == sent.content
    tables.seal(actor=registered.owner, table=table)
    assert outside.worked(table).state == Measurement.State.SEALED
