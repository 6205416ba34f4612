"""Queue of each task, and expiry of every periodic message before the next is due."""

import json

import pytest
from celery import current_app
from django.apps import apps
from django.conf import settings

from core.work.domain.messages import queue_of
from core.work.kinds import registered
from operations.services.workers import worker_commands

PROMPT = {"mail", "sweep", "validate"}
"""Queues whose slots take nothing that may last."""


@pytest.fixture(scope="module", autouse=True)
def all_tasks():
    current_app.loader.import_default_modules()


def tasks():
    return sorted(name for name in current_app.tasks if ".tasks." in name and not name.startswith("tests."))


def queues_of(words):
    return set(words[words.index("--queues") + 1].split(","))


@pytest.fixture
def workers():
    commands = worker_commands(2, level="ERROR", runs_containers=True)
    return {name: queues_of(words) for name, words in commands.items() if "--queues" in words}


def test_tasks_are_named_by_labels_of_apps_so_that_messages_outlive_a_move():
    labels = {config.label for config in apps.get_app_configs()}
    assert {name.partition(".")[0] for name in tasks()} <= labels
    assert {"judging.tasks.judge_next", "work.tasks.sweep", "workbench.tasks.analyse_table"} <= {*tasks()}
    assert {kind.task for kind in registered()} <= {*tasks()}


def test_every_task_goes_to_a_queue_that_a_worker_of_one_machine_serves(workers):
    served = set().union(*workers.values())
    assert served == {*settings.PODIUM_QUEUES, "run", "judge"}
    assert {queue_of(current_app, task) for task in tasks()} <= served


def test_prompt_slots_take_letters_validation_and_sweeps_alone(workers):
    by_queue = {queue: {task for task in tasks() if queue_of(current_app, task) == queue} for queue in PROMPT}
    assert by_queue["validate"] == {"submissions.tasks.validate"}
    assert by_queue["mail"] == {
        "notifications.tasks.deliver",
        "notifications.tasks.write_digest",
        "accounts.tasks.write_about_new_password",
    }
    assert all(task.endswith((".sweep", ".heartbeat")) for task in by_queue["sweep"])
    assert workers["mail"] == {"mail", "sweep"}
    assert workers["validate"] == {"validate", "sweep"}


def test_figures_and_reports_take_no_slot_of_anything_else(workers):
    long_ones = ("analyses", "reports", "brought_tables", "simulations")
    assert {queue_of(current_app, kind.task) for kind in registered() if kind.name in long_ones} == {"figures"}
    assert [name for name, queues in workers.items() if "figures" in queues] == ["figures"]
    assert workers["figures"] == {"figures"}


def test_reports_do_not_wait_for_checks_of_test_sets(workers):
    checks = ("leaderboards.tasks.search_suspects", "test_sets.tasks.compare_images")
    assert {queue_of(current_app, task) for task in checks} == {"quality"}
    assert workers["quality"] == {"quality"}


def test_periodic_messages_expire_before_the_next_is_due():
    assert settings.CELERY_BEAT_SCHEDULE
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        assert entry["options"]["expires"] < entry["schedule"], name
        assert entry["task"] in current_app.tasks, name


def test_commands_can_be_passed_to_the_process_that_forks_workers():
    commands = worker_commands(1, level="ERROR", runs_containers=False)
    assert json.loads(json.dumps(commands)) == commands
    assert "runner" not in commands
