"""The subcommands of `podium challenge`."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from podium_client.base import durable
from podium_client.coded import folder as folders
from podium_client.coded.planning import Installation, Operation, Plan
from podium_client.connection import Connection
from podium_client.errors import ClientError

DONE, INCOMPLETE = 0, 1
_TEMPLATE = """\
# A challenge as code. Check it with `podium challenge validate`, compare it with `podium challenge diff`,
# and apply it with `podium challenge apply`.
slug: my-challenge
title: My challenge
design: design.json          # exported design document
# call: spring-2027          # the call that reviews the design
# collaborators:             # people who write the design, by e-mail
#   co.author@example.org: editor
register: false              # registration is public and permanent
launch: false
open: false
# organizers:                # people with an account, by user name
#   maria: manager
# terms:
#   agreement: texts/agreement.md
#   requires_approval: false
#   team_size: 5
# announcements:
#   - title: Data released
#     text: texts/data-released.md
# test_sets:
#   - phase: final
#     archive: test-sets/final.zip
#     sha256: 0000000000000000000000000000000000000000000000000000000000000000
"""
_DESIGN: Final = {"challenge": {"challenge_name": "My challenge"}, "tasks": [{"key": "task-1", "task_name": "Task"}]}


def _init(options: argparse.Namespace) -> int:
    path = Path(options.folder) / folders.NAME
    if path.exists():
        raise ClientError(f"{path} exists already.")
    path.parent.mkdir(parents=True, exist_ok=True)
    durable.write_text(path, _TEMPLATE)
    design = path.parent / "design.json"
    if not design.exists():
        durable.write_text(design, json.dumps(_DESIGN, indent=1) + "\n")
    return _show(options, {"folder": str(path.parent)}, f"{path} is written. Edit it, then run podium challenge diff.")


def _validate(options: argparse.Namespace) -> int:
    folder = folders.read(options.folder)
    tasks, sets = len(folder.document["tasks"]), len(folder.test_sets)
    text = f"{folder.slug} is valid: {tasks} task{_s(tasks)}, {sets} test set{_s(sets)}."
    return _show(options, {"slug": folder.slug, "tasks": tasks, "test_sets": sets}, text)


def _diff(options: argparse.Namespace) -> int:
    plan = _installation(options).plan()
    return _show(options, _as_json(plan), _words(plan))


def _apply(options: argparse.Namespace) -> int:
    installation = _installation(options)
    plan = installation.plan()
    if not options.json:
        _write(_words(plan))
    completed: list[Operation] = []
    for operation in plan.operations:
        if operation.needs_consent and not options.yes:
            break
        if not options.json:
            _write(f"{operation.text} …")
        operation.act()
        completed.append(operation)
    rest = plan.operations[len(completed) :]
    text = f"{len(completed)} operation{_s(len(completed))} applied."
    if rest:
        text += f" {len(rest)} not applied: “{rest[0].text}” needs --yes."
    content = {"applied": [operation.text for operation in completed], "not_applied": [entry.text for entry in rest]}
    _show(options, content, text)
    return INCOMPLETE if rest else DONE


def _status(options: argparse.Namespace) -> int:
    installation = _installation(options)
    registration = installation.registration()
    if registration is None:
        is_there = installation.find(f"designs/{installation.folder.slug}/") is not None
        text = "The design is not registered." if is_there else "The design does not exist yet."
        return _show(options, {"design": is_there, "registration": None}, text)
    lines = [f"Registered as {registration['identifier']}."]
    if registration["challenge"]:
        state = "open" if registration["is_open"] else "hidden"
        lines.append(f"Challenge {registration['challenge']}: {state}.")
        for phase in registration["phases"]:
            sealed = "sealed" if phase["is_sealed"] else "not sealed"
            lines.append(f"Phase {phase['task']}/{phase['slug']}: {phase['state']}, test set {sealed}.")
    return _show(options, {"design": True, "registration": registration}, "\n".join(lines))


COMMANDS: Final[Mapping[str, Callable[[argparse.Namespace], int]]] = {
    "init": _init,
    "validate": _validate,
    "diff": _diff,
    "apply": _apply,
    "status": _status,
}


def _installation(options: argparse.Namespace) -> Installation:
    return Installation(Connection.remembered(), folders.read(options.folder))


def _words(plan: Plan) -> str:
    lines = [f"{operation.mark} {operation.text}" for operation in plan.operations]
    lines += [f"  {note}" for note in plan.notes]
    number = len(plan.operations)
    consent = sum(operation.needs_consent for operation in plan.operations)
    lines.append(f"Plan: {number} operation{_s(number)}{f', {consent} with --yes only' if consent else ''}.")
    return "\n".join(lines)


def _as_json(plan: Plan) -> dict[str, Any]:
    return {
        "operations": [{"text": operation.text, "needs_yes": operation.needs_consent} for operation in plan.operations],
        "notes": list(plan.notes),
    }


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _write(text: str) -> None:
    sys.stdout.write("".join(c if c == "\n" or c.isprintable() else "�" for c in text) + "\n")
    sys.stdout.flush()


def _show(options: argparse.Namespace, document: Any, text: str) -> int:
    if options.json:
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
    else:
        _write(text)
    return DONE
