"""The description of the data of a challenge covers every task."""

from challenges.queries.planning import _data_description
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import from_json


def described(*tasks) -> list[str]:
    rows = [
        {"key": f"task-{number}", "task_name": name, "number_training_cases": 100, "number_test_cases": cases}
        for number, (name, cases) in enumerate(tasks, start=1)
    ]
    document, _ = from_json({"challenge": {}, "tasks": rows}, catalogue=shipped(), lenient=True)
    return _data_description([document.values(key) for key in document.tasks]).splitlines()


def test_values_that_differ_between_tasks_are_listed_for_each_task():
    lines = described(("Detection", 40), ("Classification", 365))
    assert [line.rpartition("** ")[2] for line in lines] == ["100", "40", "365"]
    assert "(Detection).**" in lines[1]
    assert "(Classification).**" in lines[2]


def test_a_single_task_is_not_named():
    assert [line.rpartition("** ")[2] for line in described(("Detection", 40))] == ["100", "40"]
    assert not any("Detection" in line for line in described(("Detection", 40)))
