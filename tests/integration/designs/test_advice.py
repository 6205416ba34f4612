"""The recommender's dialogue on the page: answers, metrics with one click, departures, pitfalls.

One test walks the dialogue through the pages from its first to its last question. The others read the advice that the page
would show, and answer through the service of the form.
"""

import json

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from designs.models import Collaborator, TaskAnswers
from designs.queries import document_of
from designs.queries.findings import all_findings, gate_of
from designs.services import advice as services
from designs.services.examples import load_example_design
from evaluation.advice import illustrated, questions
from evaluation.designs.advising import consult
from evaluation.designs.starting_points import starting_point
from tests.unit.designs.world import design, person, save

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "The advice is computed from one stored document. `test_saving.py` saves documents on both databases."
    ),
]


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def hippocampus(owner):
    stored = design(owner)
    save(stored, "task_category", ["segmentation"])
    return stored


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def page(client, stored, task="task-1"):
    return client.get(reverse("designs:task_advice", args=[stored.slug, task]))


def send(client, stored, **data):
    return client.post(reverse("designs:answer_question", args=[stored.slug, "task-1"]), data, follow=True)


def advice_of(stored, task="task-1"):
    """Return the advice that the page shows."""
    answers = TaskAnswers.objects.filter(task__design=stored, task__key=task).first() or TaskAnswers()
    return consult(document_of(stored).values(task), answers, None)


def reply(stored, item, value, task="task-1"):
    """Answer a question as the form of the page does."""
    actor = stored.collaborators.get(role=Collaborator.Role.OWNER).user
    services.answer_question(actor=actor, task=stored.tasks.get(key=task), item=item, answer=value)


def test_the_dialogue_asks_one_question_after_the_other_until_nothing_matters_any_more(signed_in, hippocampus):
    asked = []
    while (question := page(signed_in, hippocampus).context["advice"].current) is not None:
        assert question.id not in asked
        asked.append(question.id)
        send(signed_in, hippocampus, item=question.id, answer=question.choices[-1][0])
        assert len(asked) < 43
    assert len(asked) > 3
    # PostgreSQL keeps the keys of a document in an order of its own.
    assert set(TaskAnswers.objects.get().answers) == set(asked)


def test_without_a_category_the_kind_of_problem_is_asked_first(signed_in, owner):
    stored = design(owner, title="Open")
    answer = page(signed_in, stored)
    assert answer.context["advice"].current.id.startswith("FP1")
    assert answer.context["advice"].recommendation is None


def test_an_answer_is_taken_back_and_not_knowing_is_an_answer(signed_in, hippocampus):
    first = page(signed_in, hippocampus).context["advice"].current.id
    send(signed_in, hippocampus, item=first, answer="null")
    assert page(signed_in, hippocampus).context["advice"].answered[0].answer_words == "I do not know"
    send(signed_in, hippocampus, item=first, answer="")
    assert page(signed_in, hippocampus).context["advice"].current.id == first


@pytest.mark.parametrize(("item", "answer"), [("FP9.9", "true"), ("FP3.1", '"blue"'), ("FP3.1", "{")])
def test_what_the_recommender_does_not_know_is_refused(hippocampus, owner, item, answer):
    with pytest.raises(ValidationError):
        services.answer_question(actor=owner, task=hippocampus.tasks.get(), item=item, answer=answer)


def test_recommended_metrics_come_into_the_design_with_one_click_and_only_once(signed_in, hippocampus):
    recommended = [entry["id"] for entry in page(signed_in, hippocampus).context["advice"].metrics]
    save(hippocampus, "metrics", [{"metric": "assd", "used_for_ranking": True}])
    for _ in range(2):
        send(signed_in, hippocampus, act="take")
    rows = document_of(hippocampus).values("task-1").get("metrics")
    assert [row["metric"] for row in rows] == ["assd", *recommended]
    assert all(row["orientation"] for row in rows[1:])


def test_a_choice_between_metrics_is_the_organizers(signed_in, hippocampus):
    send(signed_in, hippocampus, act="choose", guide="DG6.1", option="iou")
    assert "iou" in {entry["id"] for entry in page(signed_in, hippocampus).context["advice"].metrics}


def test_a_metric_that_departs_from_the_recommendation_is_named(signed_in, hippocampus):
    save(hippocampus, "metrics", [{"metric": "hausdorff_distance", "used_for_ranking": True}])
    while (question := advice_of(hippocampus).current) is not None:
        reply(hippocampus, question.id, question.choices[-1][0])
    text = page(signed_in, hippocampus).content.decode()
    assert "Deviations from the recommendation" in text


def test_on_a_fresh_design_nothing_is_said_before_a_question_is_answered(signed_in, owner):
    stored, _ = load_example_design(name="hippocampus", owner=owner)
    shown = page(signed_in, stored, stored.tasks.get().key)
    advice = shown.context["advice"]
    assert advice.current is not None
    assert (advice.metrics, advice.departures, advice.pitfalls, advice.missing) == ((), (), (), ())
    text = shown.content.decode()
    assert "Metrics that fit" not in text
    assert "Relevant pitfalls" not in text
    assert "not treated as “no”" in text


def test_no_registered_metric_is_called_unfit_as_long_as_that_rests_on_an_assumption(hippocampus):
    rows = [{"metric": name, "used_for_ranking": True} for name in ("dsc", "assd", "masd", "cldice", "boundary_iou")]
    save(hippocampus, "metrics", rows)
    while (advice := advice_of(hippocampus)).current is not None:
        for entry in advice.departures:
            assert entry.departure.kind in ("ruled_out", "related")
            assert "was taken as" not in entry.departure.why
        reply(hippocampus, advice.current.id, advice.current.choices[0][0])


def test_what_nothing_can_be_assumed_for_is_not_answered_with_i_do_not_know(signed_in, owner):
    stored = design(owner, title="Boxes")
    save(stored, "task_category", ["detection"])
    must = {entry["id"] for entry in questions() if entry["must_be_answered"]}
    asked = []
    while (response := page(signed_in, stored)).context["advice"].current is not None:
        question = response.context["advice"].current
        offered = 'value="null">I do not know' in response.content.decode()
        assert offered == (question.id not in must)
        asked.append(question.id)
        reply(stored, question.id, "null" if offered else question.choices[0][0])
        assert len(asked) < 43
    assert must & set(asked)
    # Sent all the same, the question stays open.
    asked_for = next(iter(must & set(asked)))
    send(signed_in, stored, item=asked_for, answer="null")
    assert page(signed_in, stored).context["advice"].current.id == asked_for


def test_who_does_not_know_is_asked_for_no_reason(signed_in, hippocampus):
    rows = [{"metric": name, "used_for_ranking": True} for name in ("dsc", "assd", "cldice", "boundary_iou")]
    save(hippocampus, "metrics", rows)
    while (question := advice_of(hippocampus).current) is not None:
        reply(hippocampus, question.id, "null")
    shown = page(signed_in, hippocampus).context["advice"].departures
    assert not any("so far" in entry.words or "does not fit" in entry.words for entry in shown)
    assert not any("not recommended" in finding.detail for finding in departures(hippocampus))


def departures(stored):
    return [
        finding
        for finding in all_findings(document_of(stored), design=stored, phase="submission")
        if finding.check.id == "metrics.departure_reason"
    ]


def test_a_departure_needs_its_own_reason_before_the_design_is_filed(signed_in, hippocampus):
    save(hippocampus, "metrics", [{"metric": "dsc", "used_for_ranking": True},
                                  {"metric": "assd", "used_for_ranking": True}])  # fmt: skip
    # Nobody asked for a recommendation yet, so that there is nothing to depart from.
    assert departures(hippocampus) == []
    send(signed_in, hippocampus, item="FP2.5.7", answer="true")
    open_ones = departures(hippocampus)
    assert open_ones
    assert all(
        finding.blocks and not gate_of(document_of(hippocampus), design=hippocampus).is_open for finding in open_ones
    )
    for entry in page(signed_in, hippocampus).context["advice"].departures:
        send(signed_in, hippocampus, act="reason", departure=entry.key, text="Asked for by clinicians.")
    assert departures(hippocampus) == []
    assert (
        b"Asked for by clinicians."
        in signed_in.get(reverse("designs:export_markdown", args=[hippocampus.slug])).content
    )
    # Another departure of the same design is another reason.
    save(hippocampus, "metrics", [{"metric": "hausdorff_distance", "used_for_ranking": True}])
    assert departures(hippocampus)
    answer = send(signed_in, hippocampus, act="reason", departure="the moon is full", text="It is.")
    assert b"does not depart" in answer.content


def test_an_answer_may_differ_for_one_region_and_leads_to_metrics_of_its_own(signed_in, hippocampus):
    save(hippocampus, "regions", [{"name": "vessels", "labels": ["1"]}, {"name": "liver", "labels": ["2"]}])
    send(signed_in, hippocampus, item="FP3.3", answer="false")
    assert any(question.per_class for question in page(signed_in, hippocampus).context["advice"].answered)
    before = {entry["id"]: entry["only_for"] for entry in page(signed_in, hippocampus).context["advice"].metrics}
    assert "cldice" not in before
    send(signed_in, hippocampus, item="FP3.3", answer="true", region="vessels")
    send(signed_in, hippocampus, item="FP2.3", answer="true", region="vessels")
    after = {entry["id"]: entry["only_for"] for entry in page(signed_in, hippocampus).context["advice"].metrics}
    assert after["cldice"] == "vessels"
    send(signed_in, hippocampus, item="FP3.3", answer="", region="vessels")
    send(signed_in, hippocampus, item="FP2.3", answer="", region="vessels")
    assert TaskAnswers.objects.get().classes == {}
    assert b"no such region" in send(signed_in, hippocampus, item="FP3.3", answer="true", region="moon").content


def test_a_pitfall_of_the_compiled_design_is_shown_with_its_remedy(signed_in, owner):
    stored, _ = load_example_design(name="hippocampus", owner=owner)
    send(signed_in, stored, item="FP2.1", answer="true")
    shown = page(signed_in, stored, stored.tasks.get().key)
    found = shown.context["advice"].pitfalls
    assert "P-AGG-NAN-UNBOUNDED" in {bite.finding.pitfall.id for bite in found}
    assert found[0].finding.pitfall.remedy.encode()[:30] in shown.content
    drawn = next(bite for bite in found if bite.picture)
    assert drawn.rows
    assert drawn.picture[:60].encode() in shown.content


def test_a_question_about_shapes_has_its_picture(signed_in, hippocampus):
    order = [entry["id"] for entry in questions()]
    drawn = None
    while drawn is None:
        question = advice_of(hippocampus).current
        assert question is not None
        drawn = question if question.id in illustrated() else None
        if drawn is None:
            reply(hippocampus, question.id, json.dumps(None))
    assert drawn.id in order
    assert b"advice-picture" in page(signed_in, hippocampus).content


def test_a_reader_sees_the_advice_and_answers_nothing(client, owner):
    stored, _ = load_example_design(name="robustmis", owner=owner)
    for task in stored.tasks.all():
        assert page(client, stored, task.key).status_code == 200
    assert page(client, stored, "task-9").status_code == 404
    client.force_login(person("bo"))
    address = reverse("designs:answer_question", args=[stored.slug, stored.tasks.first().key])
    assert client.post(address, {"item": "FP3.1", "answer": "true"}).status_code == 403


def test_a_metric_does_not_fit_once_every_question_that_decides_it_is_answered(signed_in, hippocampus):
    save(hippocampus, "metrics", [{"metric": "nsd", "options": {"tolerance": 2}, "used_for_ranking": True}])

    def of_nsd():
        return next((entry for entry in advice_of(hippocampus).departures if "NSD" in entry.words), None)

    assert of_nsd() is None
    send(signed_in, hippocampus, item="FP2.1", answer="false")
    assert of_nsd() is None
    while (question := advice_of(hippocampus).current) is not None:
        reply(
            hippocampus,
            question.id,
            next((value for value, _ in question.choices if value == "false"), question.choices[-1][0]),
        )
    settled = of_nsd()
    assert settled.words == "NSD does not fit this problem"
    assert settled.departure.why.startswith("It does not fit, since “The outline matters” was answered with “no”")
    assert "taken as" not in settled.departure.why


def test_recommended_metrics_of_the_whole_data_set_are_taken_in_as_such(owner):
    stored = design(owner, title="Skin")
    save(stored, "task_category", ["classification"])
    while not (shown := advice_of(stored)).metrics:
        reply(stored, shown.current.id, shown.current.choices[0][0])
    place = stored.tasks.get()
    services.take_recommended_metrics(actor=owner, task=place)
    rows = document_of(stored).values(place.key).rows("metrics")
    assert rows
    assert {row["level"] for row in rows} == {"data_set"}


@pytest.mark.parametrize(
    "scheme", ["fets", "msd", "robustmis", "brats", "challenger", "example_brats_2023", "example_monkey_2024"]
)
def test_a_published_scheme_is_offered_with_its_citation_and_filled_in(signed_in, owner, scheme):
    stored, _ = load_example_design(name="hippocampus", owner=owner)
    key = stored.tasks.get().key
    section = reverse("designs:task_section", args=[stored.slug, "assessment_method", key])
    point = starting_point(scheme)
    assert point.citation.split(".")[0] in signed_in.get(section).content.decode()
    answer = reverse("designs:answer_question", args=[stored.slug, key])
    assert signed_in.post(answer, {"act": "scheme", "scheme": scheme})["Location"] == section
    values = document_of(stored).values(key)
    assert values.get("ranking_method") == list(point.task["ranking_method"])
    assert values.get("tie_handling") == point.task["tie_handling"]
    stated = [(row["metric"], row.get("options")) for row in values.rows("metrics")]
    if "metrics" in point.task:
        assert stated == [(row["metric"], row.get("options")) for row in point.task["metrics"]]
        assert values.get("regions") == list(point.task["regions"])
    assert values.get("overall_rankings") == (point.challenge.get("overall_rankings"))
    refused = signed_in.post(answer, {"act": "scheme", "scheme": "none"}, follow=True)
    assert "no such published scheme" in refused.content.decode()
