"""Subcommands of `podium site`.

The code of a subcommand is loaded when it is called.
"""

import argparse
from pathlib import Path
from typing import Any

from podium_client.errors import ClientError
from podium_client.site.reasons import REASONS

ATTRIBUTIONS = ("submission", "site", "platform")
"""Parties that can be responsible when an algorithm produced no output at a site."""


def _run(options: argparse.Namespace) -> int:
    try:
        from podium_client.site.commands import COMMANDS
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "cryptography":
            raise
        raise ClientError(
            "What is sent has to be signed: in a checkout of Podium, pip install '.[site]' brings what that needs."
        ) from error
    from podium_client.connection import RefusedError

    try:
        return COMMANDS[options.site_command](options)
    except RefusedError as error:
        raise NotTakenError(str(error)) from error


class NotTakenError(ClientError):
    """Error for a message that the centre refused."""


def configure(commands: Any) -> None:
    """Declare `site` and its commands."""
    text = "Score algorithms on cases that may not leave, and send sums that a person has read."
    site = commands.add_parser("site", help="evaluate where the data are: for hospitals", description=text)
    of_site = site.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = of_site.add_parser(name, help=text, description=text)
        command.set_defaults(run=_run, site_command=name)
        if name not in ("join", "pack-test"):
            command.add_argument(
                "--folder", type=Path, default=Path(), help="folder of the site; this one if not given"
            )
        return command

    join = add("join", "take an invitation: makes the folder and the key of the site")
    join.add_argument("invitation", help="address of the invitation, or its file")
    join.add_argument("place", type=Path, metavar="FOLDER", help="new folder")
    join.add_argument("--confirmed-by", default="", metavar="PERSON", help="who confirms the terms for the site")
    join.add_argument("--country", default="", metavar="XX", help="two letters")
    join.add_argument("--yes", action="store_true", help="the terms were read and are confirmed")
    renew = add("new-key", "replace a key that was lost or seen, with a new invitation: cases and results stay")
    renew.add_argument("invitation", help="address of the new invitation, or its file")
    renew.add_argument("--confirmed-by", default="", metavar="PERSON", help="who confirms the terms for the site")
    renew.add_argument("--yes", action="store_true", help="the terms were read and are confirmed")
    add("next", "do the next step").add_argument("--jobs", type=int, default=1, help=argparse.SUPPRESS)
    fetch = add("fetch", "get what is to be evaluated")
    fetch.add_argument("--from", dest="source", type=Path, metavar="FILE", help="package that was carried here")
    fetch.add_argument(
        "--image", action="append", type=Path, default=[], metavar="FILE", help="image that was carried here"
    )
    add("check", "test this machine on public cases, and whether the own cases can be read")
    grade = add("grade", "grade the quality of a case, before anything is scored")
    grade.add_argument("case")
    grade.add_argument("grade", help="acceptable, borderline or insufficient")
    grade.add_argument("--reason", default="", help=", ".join(REASONS))
    add("seal", "fix the cases: a digest and counts leave, nothing else")
    run = add("run", "score the algorithms; the same command goes on where it stopped")
    run.add_argument("--algorithm", action="append", default=[], metavar="NAME", help="only this one")
    run.add_argument(
        "--failed", action="append", default=[], metavar="NAME", help="it gave nothing here: counts as missing"
    )
    run.add_argument(
        "--carried",
        action="append",
        default=[],
        metavar="NAME",
        help="take predictions of it instead of running its image",
    )
    run.add_argument("--engine", choices=("podman", "docker"), default="podman", help="that runs images")
    run.add_argument("--attribution", choices=ATTRIBUTIONS, default="submission", help="whose fault that is")
    run.add_argument("--jobs", type=int, default=1, help="processes")
    add("summary", "show everything that will leave")
    send = add("send", "sign and send what waits, through the network or as a file")
    send.add_argument("--output", type=Path, metavar="FILE", help="write a file to be carried instead of sending")
    send.add_argument("--digest", default="", help="of the summary that was read; needed where nobody can be asked")
    add("receipt", "file receipts that were carried back").add_argument("file", type=Path)
    status = add("status", "say how far the site is, and what comes next")
    # The same option as that of `podium`, which keeps its value where this one is not given.
    status.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="for programs")
    status.add_argument("--recipient", action="store_true", help="tell where a small site hands its results to")
    hand_over = add("hand-over", "join another site: for one with too few cases for a summary of its own")
    hand_over.add_argument("--to", required=True, metavar="SITE", help="name of the other site in the challenge")
    hand_over.add_argument(
        "--recipient", required=True, metavar="AGE1…", help="podium site status --recipient shows it there"
    )
    hand_over.add_argument("--output", type=Path, required=True, metavar="FILE", help="encrypted; for that site alone")
    add("take-in", "take the results of a small site in, before the cases are sealed").add_argument("file", type=Path)
    withdraw = add("withdraw", "take the site out of the challenge")
    withdraw.add_argument("--results", choices=("keep", "remove"), required=True, help="what becomes of what was sent")
    withdraw.add_argument("--reason", default="")
    pack = add("pack-test", "for organizers: make the public cases on which sites are tested")
    pack.add_argument("assessment", type=Path)
    pack.add_argument("--references", type=Path, required=True)
    pack.add_argument("--predictions", type=Path, required=True, help="holds one folder an algorithm")
    pack.add_argument("--output", type=Path, required=True)
