"""Warnings of the design in the limits of a report: once each, with the tasks that they are of."""

from types import SimpleNamespace

from reports.domain.content import Ledger
from reports.services.items.discussion import _warnings


def limits(*warnings):
    item = SimpleNamespace(text=[])
    design = SimpleNamespace(
        label="version 1",
        digest="",
        address="",
        warnings=[{"task": task, "message": message, "answer": ""} for task, message in warnings],
    )
    _warnings(item, SimpleNamespace(ledger=Ledger()), design)
    return [statement.text for paragraph in item.text for statement in paragraph]


def test_a_warning_of_two_tasks_is_told_once_and_names_both():
    said = " ".join(limits(("Liver", "Only one annotator."), ("Spleen", "Only one annotator."), ("Liver", "No data.")))
    assert said == "The checks of the design warn: Liver and Spleen: Only one annotator. Liver: No data."


def test_of_a_single_task_no_name_is_said():
    assert " ".join(limits(("", "Only one annotator."))) == "The checks of the design warn: Only one annotator."
