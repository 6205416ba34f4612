"""The page of a case for every kind of problem: suitable views of predictions, and a protected reference.

Only people with permission see the reference.
"""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from core.audit.models import Entry
from datastore.test_sets.models import TestCase
from datastore.test_sets.queries.access_log import SEEN
from datastore.test_sets.services.archives import take_archive
from evaluation import problems
from evaluation.assessment import parse
from submissions.models import Submission
from submissions.results.queries.pictures import plan_of
from submissions.results.services.pictures import draw
from submissions.results.views import cases as views
from tests.integration.problems.test_points_and_images import packed
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Pages of one case are read. `submissions/test_permissions.py` reads them on both databases."
    ),
]
# Of moved landmarks there is no picture.
WITHOUT_PICTURE = {"landmark_registration"}
KINDS = [
    problem.id
    for problem in problems.scored_problems()
    if not problem.is_measured_elsewhere and problem.id not in WITHOUT_PICTURE
]
UNCERTAINTY = {"uncertainty": {"bootstrap": 20, "seed": 1}}


class Shown:
    """A scored submission of a kind, and what people get of its first case."""

    def __init__(self, world: World, folder, name: str) -> None:
        self.world, self.problem, self.folder = world, problems.get(name), folder
        document = self.problem.samples.write_challenge(folder, cases=12) | UNCERTAINTY
        steps = [{"over": [over], "operator": "mean", "rerank": True} for over in ("region", "metric")]
        document["ranking"] = document.get("ranking") or {"scheme": "aggregate_then_rank", "combine": steps}
        cases = list(self.problem.open_references(parse(document), folder / "references").cases)
        world.phase = add_phase(world, "kind", document)
        listed = "".join(f"{case}\n" for case in cases)
        if not (folder / "references/cases.csv").exists():
            (folder / "references/cases.csv").write_text(f"case\n{listed}")
        table = (folder / "references/cases.csv").read_bytes()
        (folder / "references/cases.csv").unlink()
        archive = folder / "sealed.zip"
        files = {
            f"references/{path.relative_to(folder / 'references').as_posix()}": path.read_bytes()
            for path in sorted((folder / "references").rglob("*"))
            if path.is_file()
        }
        archive.write_bytes(zipped({**files, "cases.csv": table}))
        world.test_set = take_archive(phase=world.phase, path=archive, actor=world.organizer)
        self.submission = world.upload(packed(folder / "predictions/near"), accept_incomplete=True)
        self.submission.refresh_from_db()
        assert self.submission.state == Submission.State.SCORED, (self.submission.log, self.submission.reason)
        self.run = self.submission.runs.get()
        self.case = TestCase.objects.filter(test_set=world.test_set).order_by("position").first()
        self.address = f"{self.submission.get_absolute_url()}cases/{self.case.name}/"

    def get(self, person, path="", **asked):
        client = Client()
        client.force_login(person)
        return client.get(f"{self.address}{path}", asked, secure=True)

    def page(self, person) -> str:
        return self.get(person).content.decode()

    def reveal(self) -> None:
        """Close the phase, with references for teams."""
        now = timezone.now()
        type(self.world.phase).objects.filter(pk=self.world.phase.pk).update(
            opens_at=now - timedelta(days=2), closes_at=now - timedelta(days=1), reveals_cases=True
        )


@pytest.fixture
def shown(world: World, workers, tmp_path):
    return lambda name: Shown(world, tmp_path / "example", name)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_shows_what_fits_it_and_the_reference_only_to_whom_it_is_open(shown, name):
    of = shown(name)
    ada = of.world.ada
    draw(run_id=of.run.pk, case=of.case.name)
    bare = plan_of(of.run, of.case.name, with_reference=False)
    assert bare is not None
    if of.problem.answer_view is not None:
        assert bare["answers"]["lines"]
        assert not bare["answers"]["has_reference"]
    page = of.page(ada)
    assert ("<caption>Prediction</caption>" in page) is (of.problem.answer_view is not None)
    assert "Prediction and reference" not in page
    assert "swatch--reference" not in page
    assert ("data-viewer=" in page) is bool(bare["strips"])
    assert bare["strips"] or (of.problem.answer_view is not None)
    if bare["strips"]:
        plan = json.loads(of.get(ada, "viewer.json").content)
        assert {strip["axis"] for strip in plan["strips"]} <= {"z", "y", "x"}
        full = plan_of(of.run, of.case.name, with_reference=True)
        secret = {layer["name"] for layer in full["layers"]} - {layer["name"] for layer in bare["layers"]}
        assert secret
        for layer in secret:
            assert of.get(ada, f"sheets/{layer}/z/").status_code == 404, layer
        for layer in bare["layers"]:
            assert of.get(ada, f"sheets/{layer['name']}/z/").status_code == 200, layer
    assert not Entry.objects.filter(act=SEEN).exists()
    of.reveal()
    open_page = of.page(ada)
    if (of.problem.answer_view is not None) and plan_of(of.run, of.case.name, with_reference=True)["answers"][
        "has_reference"
    ]:
        assert "Prediction and reference" in open_page
    if bare["strips"]:
        for layer in secret:
            assert of.get(ada, f"sheets/{layer}/z/").status_code == 200, layer


@pytest.mark.parametrize("name", ["semantic_segmentation", "image_classification"])
def test_single_cases_are_shown_to_exactly_those_who_see_single_cases(shown, name):
    of = shown(name)
    draw(run_id=of.run.pk, case=of.case.name)
    paths = ("", "picture/", "viewer.json", "picture.png", "sheets/prediction/z/")
    people = {"team": of.world.ada, "others": of.world.bo, "organizer": of.world.organizer}
    for path in paths:
        found = {who: of.get(person, path).status_code for who, person in people.items()}
        own = 200 if of.problem.id == "semantic_segmentation" or path in ("", "picture/", "viewer.json") else 404
        assert found == {"team": own, "others": 404, "organizer": own}, path
        assert Client().get(f"{of.address}{path}", secure=True).status_code == 302
    type(of.world.phase).objects.filter(pk=of.world.phase.pk).update(results="validation")
    for path in paths:
        assert of.get(of.world.ada, path).status_code in (403, 404), path
        assert of.get(of.world.bo, path).status_code == 404, path


@pytest.mark.parametrize("name", ["semantic_segmentation", "image_classification", "landmarks"])
def test_whoever_looks_at_a_hidden_reference_stands_in_the_log(shown, name):
    of = shown(name)
    draw(run_id=of.run.pk, case=of.case.name)
    page = of.page(of.world.organizer)
    if of.problem.answer_view is not None:
        assert "Prediction and reference" in page
    else:
        assert of.get(of.world.organizer, "sheets/reference/z/").status_code == 200
    assert Entry.objects.filter(act=SEEN, actor=of.world.organizer).exists()


def test_a_request_draws_nothing_and_asks_a_worker_once(shown, monkeypatch):
    of = shown("semantic_segmentation")
    asked = []
    monkeypatch.setattr(views, "send", lambda *said: asked.append(said))
    for _ in range(3):
        page = of.page(of.world.ada)
    assert "being prepared" in page
    assert asked == [("results.tasks.draw_case", [str(of.run.pk), of.case.name])]
    assert plan_of(of.run, of.case.name, with_reference=False) is None


@pytest.mark.parametrize("name", ["semantic_segmentation", "image_classification"])
def test_one_goes_through_all_cases_the_worst_first_where_cases_have_values(shown, name):
    of = shown(name)
    names = list(of.world.test_set.cases.order_by("position").values_list("name", flat=True))
    page = of.page(of.world.ada)
    listed = re.findall(r'<li><a href="[^"]*/cases/([^/"]+)/"', page)
    assert sorted(listed) == sorted(names)
    assert ("the worst first" in page) is (name == "semantic_segmentation")
    walked, at = [], listed[0]
    while at:
        walked.append(at)
        address = f"{of.submission.get_absolute_url()}cases/{at}/"
        client = Client()
        client.force_login(of.world.ada)
        found = re.search(r'rel="next" href="[^"]*/cases/([^/"]+)/"', client.get(address, secure=True).content.decode())
        at = found[1] if found else ""
    assert walked == listed


def test_several_teams_stand_side_by_side_for_organizers(shown):
    of = shown("image_classification")
    other = of.world.upload(packed(of.folder / "predictions/far"), accept_incomplete=True, team=of.world.bos)
    draw(run_id=of.run.pk, case=of.case.name)
    draw(run_id=other.runs.get().pk, case=of.case.name)
    client = Client()
    client.force_login(of.world.organizer)
    page = client.get(
        f"/challenges/blocks/organize/cases/{of.case.name}/",
        {"phase": of.world.phase.pk, "submission": str(of.submission.pk), "beside": str(other.pk)},
        secure=True,
    ).content.decode()
    assert page.count("Prediction and reference") == 2
