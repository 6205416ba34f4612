"""Saving fields of a design from its form: values, states, tables, and two people at one field."""

import pytest
from django.urls import reverse

from accounts.conversations.models import Thread
from designs.models import FieldValue
from designs.queries import document_of
from designs.services.examples import load_example_design
from tests.integration.designs.pages import HTMX, post
from tests.unit.designs.world import save

pytestmark = pytest.mark.django_db


def test_saving_answers_with_the_state_the_revision_and_the_checks_nearby(signed_in, hippocampus):
    answer = post(signed_in, hippocampus, "number_test_cases", "task-1", value="1", revision="0")
    text = answer.content.decode()
    assert "Saved" in text
    assert 'id="r-number_test_cases-task-1" value="1"' in text
    assert "A single test case allows no ranking analysis." in text
    text = post(signed_in, hippocampus, "number_test_cases", "task-1", value="60", revision="1").content.decode()
    assert "A single test case" not in text
    assert document_of(hippocampus).values("task-1").get("number_test_cases") == 60


def test_a_value_that_does_not_fit_is_not_saved_and_says_why(signed_in, hippocampus):
    answer = post(signed_in, hippocampus, "challenge_year", value="soon", revision="0")
    assert b"Not saved: A number is needed" in answer.content
    assert document_of(hippocampus).values().get("challenge_year") is None


def test_the_second_writer_sees_both_and_keeps_theirs_or_the_other(signed_in, hippocampus):
    save(hippocampus, "primary_objective", "Find the best method")
    save(hippocampus, "primary_objective", "Find the fastest method")
    answer = post(signed_in, hippocampus, "primary_objective", value="Find the best new method", revision="1")
    text = answer.content.decode()
    assert "<ins>fastest</ins>" in text
    assert "Keep mine" in text
    assert 'id="r-primary_objective" value="2"' in text
    assert document_of(hippocampus).values().get("primary_objective") == "Find the fastest method"
    shown = signed_in.get(reverse("designs:show", args=[hippocampus.slug, "primary_objective"]), **HTMX)
    assert b"Find the fastest method" in shown.content
    post(signed_in, hippocampus, "primary_objective", value="Find the best new method", revision="2")
    assert document_of(hippocampus).values().get("primary_objective") == "Find the best new method"


def test_a_lost_session_is_told_apart_so_that_the_page_keeps_the_text(client, hippocampus):
    assert post(client, hippocampus, "challenge_name", value="x").status_code == 401


def test_a_table_is_saved_by_rows(signed_in, hippocampus):
    post(
        signed_in,
        hippocampus,
        "challenge_schedule",
        **{
            "row.0.event": "submission_deadline",
            "row.0.date": "2026-05-01",
            "row.3.event": "event_day",
            "row.3.date": "2026-10-01",
            "row.4.event": "",
            "revision": "0",
        },
    )
    assert document_of(hippocampus).values().get("challenge_schedule") == [
        {"event": "submission_deadline", "date": "2026-05-01"},
        {"event": "event_day", "date": "2026-10-01"},
    ]


def test_a_metric_of_the_platform_brings_its_direction_range_and_options(signed_in, hippocampus):
    answer = post(
        signed_in,
        hippocampus,
        "metrics",
        "task-1",
        **{"row.0.metric": "nsd", "row.0.options.tolerance": "2", "row.0.policy.missing": "0", "revision": "0"},
    )
    (row,) = document_of(hippocampus).values("task-1").get("metrics")
    assert (row["abbreviation"], row["orientation"], row["range_min"], row["range_max"]) == ("NSD", "higher", 0, 1)
    assert row["options"] == {"tolerance": 2}
    assert row["policy"] == {"missing": 0}
    assert "row.0.options.tolerance" in answer.content.decode()


def test_level_without_a_role_is_asked_for_it_beside_its_field_and_kept_with_one(signed_in, owner):
    nuclei, _ = load_example_design(name="nuclei", owner=owner)
    task = nuclei.tasks.get().key
    # What is drawn would decide the role.
    save(nuclei, "uncertainty_settings", {"bootstrap": 1000, "winner_alpha": 0.01})
    revision = str(FieldValue.objects.get(design=nuclei, parameter="aggregation_levels").revision)
    bare = {"row.0.name": "case", "row.1.name": "illumination", "row.1.role": ""}
    answer = post(signed_in, nuclei, "aggregation_levels", task, **bare, revision=revision).content.decode()
    assert "illumination&quot;: say whether it is &quot;fixed&quot;" in answer
    whole = {**bare, "row.1.role": "fixed"}
    answer = post(signed_in, nuclei, "aggregation_levels", task, **whole, revision=str(int(revision) + 1))
    assert "say whether it is" not in answer.content.decode()
    stored = document_of(nuclei).values(task)
    assert stored.get("aggregation_levels") == [{"name": "case"}, {"name": "illumination", "role": "fixed"}]
    page = signed_in.get(reverse("designs:assessment", args=[nuclei.slug])).content.decode()
    assert "No winner can be named with fewer than 7 cases" in page
    assert "one of them would be named in about 1 % of challenges" in page


def test_options_appear_once_a_metric_is_chosen_even_if_all_else_was_typed(signed_in, hippocampus):
    row = {"metric": "nsd", "abbreviation": "NSD", "orientation": "higher", "range_min": "0", "range_max": "1",
           "level": "case", "used_for_ranking": "true", "implementation": "this platform"}  # fmt: skip
    cells = {f"row.0.{key}": value for key, value in row.items()}
    first = post(signed_in, hippocampus, "metrics", "task-1", **cells, revision="0", **{"row.0.shown": ""})
    assert b"row.0.options.tolerance" in first.content
    again = post(signed_in, hippocampus, "metrics", "task-1", **cells, revision="1", **{"row.0.shown": "nsd"})
    assert b"row.0.options.tolerance" not in again.content


def test_settings_appear_once_a_kind_of_problem_is_chosen(signed_in, hippocampus):
    chosen = {"value.kind": "instance_segmentation"}
    first = post(signed_in, hippocampus, "problem_settings", "task-1", **chosen, revision="0", **{"value.shown": ""})
    assert b'hx-swap-oob="innerHTML:#form-problem_settings-task-1 [data-rows-list]"' in first.content
    assert b"value.settings.overlap" in first.content
    again = post(
        signed_in,
        hippocampus,
        "problem_settings",
        "task-1",
        **chosen,
        revision="1",
        **{"value.shown": "instance_segmentation"},
    )
    assert b"value.settings.overlap" not in again.content


def test_another_metric_in_the_same_row_drops_what_belonged_to_the_first(signed_in, hippocampus):
    cells = {
        "row.0.metric": "assd",
        "row.0.abbreviation": "NSD",
        "row.0.orientation": "higher",
        "row.0.options.tolerance": "2",
    }
    post(signed_in, hippocampus, "metrics", "task-1", **cells, revision="0")
    (row,) = document_of(hippocampus).values("task-1").get("metrics")
    assert (row["abbreviation"], row["orientation"]) == ("ASSD", "lower")
    assert "options" not in row
    assert "range_max" not in row


def test_a_cost_is_offered_where_algorithms_are_run_and_brings_its_direction_unit_and_limit(signed_in, hippocampus):
    def offers(answer):
        return b'name="row.0.cost"' in answer.content

    assert not offers(post(signed_in, hippocampus, "metrics", "task-1", **{"row.0.metric": "dsc", "revision": "0"}))
    limits = {"value.case_seconds": "20", "value.start_seconds": "10", "value.exclusive": "true", "revision": "0"}
    post(signed_in, hippocampus, "algorithm_execution", "task-1", **limits)
    shown = signed_in.get(reverse("designs:task_show", args=[hippocampus.slug, "metrics", "task-1"]), **HTMX)
    assert b'name="row.__n__.cost"' in shown.content

    cells = {"row.0.metric": "", "row.0.cost": "run_wall_time", "row.0.shown": "", "row.0.worst_value": "3"}
    answer = post(signed_in, hippocampus, "metrics", "task-1", **cells, revision="1").content.decode()

    (row,) = document_of(hippocampus).values("task-1").get("metrics")
    assert (row["cost"], row["name"], row["unit"]) == ("run_wall_time", {"other": "Wall time"}, "s")
    assert (row["orientation"], row["range_min"], row["open_range"], row["level"]) == ("lower", 0, "above", "case")
    assert "worst_value" not in row
    assert "Lower is better, in s; a failed case counts as 30 s, the most that the limits allow." in answer


def test_another_cost_in_the_same_row_takes_its_name_and_unit_and_a_metric_takes_the_row(signed_in, hippocampus):
    post(signed_in, hippocampus, "algorithm_execution", "task-1", **{"value.memory_mib": "512", "revision": "0"})
    cells = {"row.0.metric": "", "row.0.cost": "run_peak_memory", "row.0.shown": "run_wall_time",
             "row.0.name": "__other__", "row.0.name.other": "Wall time", "row.0.unit": "s"}  # fmt: skip
    answer = post(signed_in, hippocampus, "metrics", "task-1", **cells, revision="0")
    (row,) = document_of(hippocampus).values("task-1").get("metrics")
    assert (row["name"], row["unit"]) == ({"other": "Peak memory"}, "MiB")
    assert b'value="run_peak_memory" selected' in answer.content

    post(signed_in, hippocampus, "metrics", "task-1", **(cells | {"row.0.metric": "dsc"}), revision="1")
    (row,) = document_of(hippocampus).values("task-1").get("metrics")
    assert (row["metric"], row.get("cost")) == ("dsc", None)


@pytest.mark.parametrize(
    ("parameter", "data", "expected"),
    [
        ("life_cycle_type", {"value": "__other__", "other": "every leap year"}, {"other": "every leap year"}),
        ("interaction_level_policy", {"value": ["fully_automatic", "semi_automatic"]}, ["fully_automatic", "semi_automatic"]),
        ("challenge_keywords", {"value": "MRI, brain"}, ["MRI", "brain"]),
        ("contact_person", {"value.name": "Ada", "value.email": "ada@example.org"}, {"name": "Ada", "email": "ada@example.org"}),
    ],
)  # fmt: skip
def test_every_editor_sends_its_type(signed_in, hippocampus, parameter, data, expected):
    post(signed_in, hippocampus, parameter, **data, revision="0")
    assert document_of(hippocampus).values().get(parameter) == expected


def test_states_are_saved_from_the_form(signed_in, hippocampus):
    post(signed_in, hippocampus, "award_policy", state="none_declared", revision="0")
    answer = post(signed_in, hippocampus, "embargo_period", state="not_applicable", revision="0")
    assert b"Say why it does not apply" in answer.content
    assert document_of(hippocampus).challenge["award_policy"].state == "none_declared"


def test_the_history_says_who_changed_what(signed_in, hippocampus):
    save(hippocampus, "challenge_name", "One name")
    save(hippocampus, "challenge_name", "Another name")
    text = signed_in.get(reverse("designs:history", args=[hippocampus.slug, "challenge_name"])).content.decode()
    assert text.index("<ins>Another</ins>") < text.index("revision 1")


def test_a_comment_is_answered_and_resolved(signed_in, hippocampus):
    address = reverse("designs:comments", args=[hippocampus.slug, "challenge_name"])
    assert b"Is this unique?" in signed_in.post(address, {"text": "Is this unique?"}, **HTMX).content
    thread = Thread.objects.get()
    reply = reverse("designs:reply", args=[hippocampus.slug, thread.pk])
    assert b"Yes." in signed_in.post(reply, {"text": "Yes.", "act": "reply"}, **HTMX).content
    assert b"Resolved by" in signed_in.post(reply, {"act": "resolve"}, **HTMX).content
    page = signed_in.get(reverse("designs:section", args=[hippocampus.slug, "summary"]))
    assert b"1 open" not in page.content
