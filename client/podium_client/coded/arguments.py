"""Subcommands of `podium challenge`."""

import argparse
from pathlib import Path
from typing import Any


def configure(commands: Any) -> None:
    """Declare `challenge` and its commands."""
    text = "Describe a challenge in a folder, compare it with an installation, and apply it."
    challenge = commands.add_parser("challenge", help="set up and change a challenge from a folder", description=text)
    subcommands = challenge.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = subcommands.add_parser(name, help=text, description=text)
        command.set_defaults(run=_run, challenge_command=name)
        command.add_argument("folder", type=Path, nargs="?", default=Path(), help="folder with challenge.yaml")
        return command

    add("init", "write a folder with a template")
    add("validate", "check the folder without an installation")
    add("diff", "show what apply would do")
    apply = add("apply", "make the installation match the folder; show the plan first")
    apply.add_argument("--yes", action="store_true", help="also seal and publish")
    add("status", "show the state of the challenge on the installation")


def _run(options: argparse.Namespace) -> int:
    from podium_client.coded.commands import COMMANDS

    return COMMANDS[options.challenge_command](options)
