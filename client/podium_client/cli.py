"""The `podium` command.

Exit 0 when done, 1 when a submission was refused or failed or predictions have errors, 2 with one line for bad input.
"""

import argparse
import csv
import getpass
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from podium_client import (
    algorithms,
    analysing,
    completion,
    doctor,
    downloading,
    measuring,
    overlapping,
    packing,
    settings,
    starting,
    trying,
    verifying,
)
from podium_client.base import __version__, durable
from podium_client.coded import arguments as challenge_words
from podium_client.connection import Connection
from podium_client.errors import ClientError
from podium_client.runner import arguments as runner_words
from podium_client.site import arguments as site_words
from podium_client.uploading import upload

DONE, NOT_TAKEN, BAD_INPUT = 0, 1, 2
WATCH_SECONDS = 2.0
_OF_SCIENCE = frozenset({"evaluation", "confinement", "numpy", "pandas", "scipy", "pyarrow"})
"""Packages that the small distribution of the client lacks; `podium-evaluation` installs them."""
_BAD_STATES = ("refused", "failed", "withdrawn")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(_json_first(sys.argv[1:] if arguments is None else arguments))
    try:
        return int(options.run(options))
    except site_words.NotTakenError as error:
        return _fail(options, str(error), NOT_TAKEN)
    except ClientError as error:
        return _fail(options, str(error), BAD_INPUT)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _OF_SCIENCE:
            raise
        return _fail(
            options, f"This command needs podium-evaluation: pip install podium-evaluation ({package}).", BAD_INPUT
        )
    except KeyboardInterrupt:
        _tell("podium: stopped")
        return 130
    except BrokenPipeError:
        # The reader of a pipe had enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _json_first(arguments: Sequence[str]) -> list[str]:
    """Accept ``--json`` behind the command, too."""
    given = list(arguments)
    end = given.index("--") if "--" in given else len(given)
    if "--json" in given[1:end]:
        given.remove("--json")
        given.insert(0, "--json")
    return given


def _fail(options: argparse.Namespace, message: str, code: int) -> int:
    """Report an error: one line on standard error, and with ``--json`` an object on standard output."""
    if options.json:
        sys.stdout.write(json.dumps({"error": message}) + "\n")
    _tell(f"podium: {message}")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="podium", description="Take part in challenges of a Podium installation.")
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    parser.add_argument("--version", action="version", version=f"podium-client {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        return command

    login = add("login", _login, "store the address of an installation and a token for it")
    login.add_argument("url", help="for example https://podium.example.org")
    add("logout", _logout, "forget address and token")
    add("whoami", _whoami, "say whose token is used")
    add("doctor", _doctor, "check settings, connection and versions")
    shell = add("completion", _completion, "print the completion of commands for a shell")
    shell.add_argument("shell", choices=completion.SHELLS)
    add("challenges", _challenges, "list the public challenges")
    phases = add("phases", _phases, "list the phases of a challenge")
    phases.add_argument("challenge")
    kit = add("init", _init, "download the starter kit of a challenge: sample data, programs, instructions")
    kit.add_argument("challenge", help="short name or public address of the challenge")
    kit.add_argument("--phase", default="", help="number or short name of the phase; the first one by default")
    kit.add_argument("--to", type=Path, metavar="DIR", help="new folder; SHORTNAME-starter-kit by default")
    listing = add("submissions", _submissions, "list submissions of your teams")
    listing.add_argument("challenge", nargs="?")
    data = commands.add_parser("data", help="list and get the data of a challenge", description="Data of a challenge.")
    of_data = data.add_subparsers(required=True, metavar="COMMAND")
    lists = of_data.add_parser("list", help="say which data there are, with sizes and checksums")
    gets = of_data.add_parser("get", help="download data; the same command goes on with what broke off")
    lists.set_defaults(run=_data_list)
    gets.set_defaults(run=_data_get)
    lists.add_argument("challenge")
    gets.add_argument("challenge")
    gets.add_argument("dataset", nargs="*", help="short names of data sets; all of them if none is given")
    gets.add_argument(
        "--to", type=Path, default=Path(), help="folder to write to; a folder for each data set is made in it"
    )
    for name, run, text in (
        ("validate", _validate, "check predictions as the platform will, without uploading"),
        ("submit", _submit, "upload predictions; the same command goes on with an upload that broke off"),
    ):
        command = add(name, run, text)
        command.add_argument("challenge")
        command.add_argument("phase", help="number or short name of the phase")
        is_submit = name == "submit"
        command.add_argument("path", type=Path, nargs="?" if is_submit else None, help="archive, or folder to pack")
    command.add_argument("--accept-incomplete", action="store_true", help="score without asking when cases are missing")
    command.add_argument(
        "--confirm", action="store_true", help="upload although all predictions together look like a mistake"
    )
    command.add_argument("--again", action="store_true", help="submit a file again that you submitted before")
    command.add_argument("--no-validate", action="store_true", help="do not check before uploading")
    command.add_argument("--watch", action="store_true", help="wait for the result")
    algorithms.configure(commands, command, {"runs": _runs, "logs": _logs, "cancel": _cancel})
    site_words.configure(commands)
    challenge_words.configure(commands)
    runner_words.configure(commands)
    scores = add("score", _score, "score predictions at home by the registered assessment of a challenge")
    scores.add_argument(
        "challenge", help="short name or public address of the challenge, or file with the assessment (JSON)"
    )
    scores.add_argument("--references", type=Path, required=True, metavar="DIR", help="folder of references")
    scores.add_argument("--predictions", type=Path, required=True, metavar="DIR", help="folder of predictions")
    scores.add_argument(
        "--phase", default="", help="number or short name of the phase, if phases are assessed differently"
    )
    scores.add_argument("--each", action="store_true", help="the folder of predictions has one folder per algorithm")
    scores.add_argument(
        "--cases",
        type=Path,
        metavar="FILE",
        help="table of the cases (CSV); cases.csv in or next to the references by default",
    )
    scores.add_argument("--jobs", type=int, default=1, metavar="N", help="number of processes")
    scores.add_argument("--output", type=Path, metavar="FILE", help="write the value of each case (CSV)")
    table = add("analyse", _analyse, "bring the results table of a finished challenge and wait for what comes of it")
    table.add_argument("file", type=Path, help="results by algorithm and case, long or wide (CSV)")
    table.add_argument("--title", default="", help="what it is called; the name of the file if not given")
    table.add_argument("--share", action="store_true", help="let anyone with the link read it")
    table.add_argument("--keep", action="store_true", help="keep it beyond the usual time")
    for option, form, text in (
        ("--role", "COLUMN=ROLE", "what a column is, where the guess is wrong"),
        ("--direction", "[METRIC=]higher|lower", "which values are better, of all metrics or of one"),
        ("--missing", "[METRIC=]NUMBER|exclude", "what a missing value counts as; as suggested if not given"),
    ):
        table.add_argument(option, action="append", default=[], metavar=form, help=text)
    outside = add("measure", _measure, "bring values measured outside into a phase of a challenge that you organize")
    outside.add_argument("challenge")
    outside.add_argument("phase", help="number or short name of the phase")
    outside.add_argument("file", type=Path, help="values by team, case and metric, or the list of cases (CSV)")
    outside.add_argument(
        "--cases", action="store_true", help="the file is the complete list of cases, which comes first"
    )
    outside.add_argument(
        "--replicates", type=Path, help="values of the whole data set on the same resamples for all teams (CSV)"
    )
    outside.add_argument("--team", default="", help="the only team that the table is of; else a column names teams")
    outside.add_argument("--make-teams", action="store_true", help="make teams that do not exist yet")
    for option, text in (("--by", "who measured"), ("--with", "with what"), ("--when", "when")):
        outside.add_argument(option, dest=f"measured_{option[2:]}", default="", help=f"{text}; it is public")
    outside.add_argument("--role", action="append", default=[], metavar="COLUMN=ROLE", help="what a column is")
    outside.add_argument("--seal", action="store_true", help="seal and rank it if nothing stands against it")
    overlap = add("overlap", _overlap, "ask how many of your training images match test images of a phase")
    overlap.add_argument("folder", type=Path, help="your training images, one file per image")
    overlap.add_argument("--challenge", required=True, help="short name of the challenge")
    overlap.add_argument("--phase", required=True, help="number or short name of the phase")
    overlap.add_argument("--send", action="store_true", help="ask; this uses one of the questions of your team")
    overlap.add_argument("--output", type=Path, metavar="FILE", help="write what is sent, for inspection")
    overlap.add_argument("--jobs", type=int, default=1, metavar="N", help="number of processes")
    verifying.configure(
        add("verify", _verify, "recompute the ranking of a bundle, and values of a scoring image with the image")
    )
    attempt = add("try", _try, "run an algorithm's image on cases of your own as the platform would")
    attempt.add_argument("archive", type=Path, help="the image, as docker save or podman save wrote it")
    attempt.add_argument("cases", type=Path, help="folder of cases: a folder of files for each, or a file for each")
    attempt.add_argument("--interface", type=Path, help="interface.json, which the submit page offers")
    attempt.add_argument("--phase", metavar="CHALLENGE/PHASE", help="fetch interface.json of this phase instead")
    attempt.add_argument("--model", type=Path, help="archive of weights")
    attempt.add_argument("--output", type=Path, help="folder to keep what it writes in")
    attempt.add_argument("--engine", choices=("podman", "docker"), default="podman")
    attempt.add_argument("--limits", choices=("registered", "off"), default="registered")
    attempt.add_argument("--references", type=Path, help="folder of references, to score what it writes")
    attempt.add_argument("--assessment", type=Path, help="assessment by which it is scored (JSON)")
    attempt.add_argument("--log", action="store_true", help="show what the last case printed")
    for name, run, text in (
        ("status", _status, "say where a submission stands"),
        ("watch", _watch, "follow a submission until nothing more happens"),
        ("results", _results, "fetch the table of results of a submission"),
    ):
        command = add(name, run, text)
        command.add_argument("submission", help="identifier of the submission")
    command.add_argument("--output", type=Path, help="file to write; standard output if not given")
    return parser


def _login(options: argparse.Namespace) -> int:
    token = settings.variable("PODIUM_TOKEN") or (
        getpass.getpass("Token (from Access tokens on your account page): ")
        if sys.stdin.isatty()
        else sys.stdin.readline()
    )
    connection = Connection(options.url, token.strip())
    person = connection.get("me/")
    settings.store({**settings.load(), "url": connection.origin, "token": token.strip()})
    return _show(options, person, f"Signed in to {connection.origin} as {person['username']}.")


def _logout(options: argparse.Namespace) -> int:
    content = settings.load()
    content.pop("token", None)
    settings.store(content)
    return _show(options, {}, "The token is forgotten here. To end it for good, revoke it on your account page.")


def _whoami(options: argparse.Namespace) -> int:
    person = Connection.remembered().get("me/")
    words = f"{person['username']} ({person['name']}), token for {', '.join(person['scopes'] or [])}"
    return _show(options, person, f"{words}, valid until {person['expires_at']}")


def _doctor(options: argparse.Namespace) -> int:
    results = doctor.checks()
    lines = [
        f"{result.state:8}{result.name}: {result.text}{f'. {result.remedy}' if result.remedy else ''}"
        for result in results
    ]
    _show(options, [asdict(result) for result in results], "\n".join(lines))
    return NOT_TAKEN if any(result.state == "problem" for result in results) else DONE


def _completion(options: argparse.Namespace) -> int:
    words = completion.words_of(_parser())
    text = completion.script(options.shell, words)
    sys.stdout.write(
        json.dumps({"shell": options.shell, "script": text, "words": words}) + "\n" if options.json else text
    )
    return DONE


def _challenges(options: argparse.Namespace) -> int:
    rows = list(Connection.remembered().pages("challenges/"))
    return _show(options, rows, _table([[row["slug"], row["title"]] for row in rows]))


def _phases(options: argparse.Namespace) -> int:
    rows = Connection.remembered().get(f"challenges/{_slug(options.challenge)}/")["phases"]
    several = len({row["task"] for row in rows}) > 1
    lines = [
        [str(row["id"]), f"{row['task']}/{row['slug']}" if several else row["slug"], row["name"], *_when(row)]
        for row in rows
    ]
    return _show(options, rows, _table(lines))


def _when(phase: dict[str, Any]) -> tuple[str, str]:
    """Return whether a phase accepts submissions, and until or from which time."""
    opens, ends = (_moment(phase[name]) for name in ("opens_at", "ends_at"))
    if phase["is_open"]:
        return "open", f"until {ends}" if ends else "no deadline"
    # Servers without `state` have phases with a deadline only.
    if phase.get("state", "closed" if _is_over(phase["ends_at"]) else "") == "closed":
        return "closed", f"since {ends}"
    if phase.get("state") == "held" or not opens or _is_over(phase["opens_at"]):
        return "not open", "held by the organizers"
    return "not open", f"opens {opens}"


def _moment(text: str | None) -> str:
    """Write a moment of the interface in UTC; empty for none."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M} UTC" if text else ""


def _is_over(text: str | None) -> bool:
    return text is not None and datetime.fromisoformat(text) <= datetime.now(UTC)


def _init(options: argparse.Namespace) -> int:
    kit = starting.get_kit(options.challenge, options.phase, options.to, Connection.remembered)
    folder = str(kit.folder)
    text = f"{len(kit.files)} files in {folder}. Next: cd {folder} && python predict.py && python score.py"
    return _show(options, {"folder": folder, "files": kit.files}, text)


def _submissions(options: argparse.Namespace) -> int:
    filters = {"phase__task__challenge__slug": options.challenge} if options.challenge else {}
    rows = list(Connection.remembered().pages("submissions/", **filters))
    lines = [
        [row["id"], row["challenge"], row["phase_name"], f"{row['team']} #{row['number']}", row["state"]]
        for row in rows
    ]
    return _show(options, rows, _table(lines))


def _data_list(options: argparse.Namespace) -> int:
    content = Connection.remembered().get(f"challenges/{_slug(options.challenge)}/data/")
    rows = [
        [entry["slug"], entry["split"], file["name"], f"{file['size']:,}", file["sha256"][:12]]
        for entry in content["datasets"]
        for file in entry["files"]
    ]
    rows += [[entry["slug"], entry["split"], entry["url"], "", ""] for entry in content["datasets"] if entry["url"]]
    rows += [["-", entry["split"], entry["url"] or entry["place"], "", ""] for entry in content["locations"]]
    text = _table(rows)
    return _show(options, content, f"{text}\n{content['missing']}" if content["missing"] else text)


def _data_get(options: argparse.Namespace) -> int:
    got = downloading.get_data(
        Connection.remembered(),
        challenge=_slug(options.challenge),
        wanted=options.dataset,
        folder=options.to,
        progress=_download_progress,
    )
    lines = [f"{file.path}: {file.size:,} bytes, SHA-256 {file.sha256}" for file in got]
    return _show(options, [{**vars(file), "path": str(file.path)} for file in got], "\n".join(lines))


def _validate(options: argparse.Namespace) -> int:
    connection = Connection.remembered()
    return _checked(options, connection, _phase(connection, options))


def _submit(options: argparse.Namespace) -> int:
    connection = Connection.remembered()
    phase = _phase(connection, options)
    if options.image is not None or options.weights is not None:
        return _submit_algorithm(options, connection, phase)
    if options.path is None:
        raise ClientError("Name the predictions to submit, or an image with --image.")
    packing.files_of(options.path)
    if not options.no_validate:
        try:
            if _checked(options, connection, phase, quiet=options.json) != DONE:
                return NOT_TAKEN
        except ClientError as error:
            _tell(f"Not checked before uploading: {error}")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _OF_SCIENCE:
                raise
            _tell("Not checked before uploading: podium-evaluation is not installed. The platform checks the upload.")
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        path, name = options.path, options.path.name
        if not packing.is_archive(path):
            name = f"{path.resolve().stem}.zip"
            path = Path(folder) / "predictions.zip"
            packing.pack(options.path, path)
        receipt = upload(
            connection,
            challenge=_slug(options.challenge),
            phase=phase,
            path=path,
            name=name,
            accept_incomplete=options.accept_incomplete,
            progress=_progress,
            again=options.again,
        )
    submission = connection.get(receipt.address)
    if receipt.is_repeated:
        _tell(
            f"You submitted this file before, as submission {submission['number']} on {_moment(submission['created_at'])}. "
            f"It was not scored again, and none of your limits was used. See {connection.origin}"
            f"/challenges/{submission['challenge']}/submissions/{submission['id']}/. "
            "To submit the same file again, start the same command with --again."
        )
    if options.watch:
        return _follow(options, connection, submission["id"])
    verb = "Existing submission" if receipt.is_repeated else "Submitted as"
    document = {**submission, "is_repeated": receipt.is_repeated}
    return _show(options, document, f"{verb} {submission['id']}: {submission['progress']['title']}")


def _score(options: argparse.Namespace) -> int:
    # Imports evaluation, which the small distribution lacks.
    from evaluation.cli import InputError
    from evaluation.cli.score import algorithms_of, report
    from evaluation.scoring import write_results
    from podium_client.scoring import assessment_of, score_at_home

    options.algorithm = None
    assessment = assessment_of(options.challenge, options.phase, Connection.remembered)
    try:
        scored = score_at_home(
            assessment, options.references, algorithms_of(options), cases=options.cases, jobs=max(1, options.jobs)
        )
    except InputError as error:
        raise ClientError(str(error)) from error
    report(scored.folders)
    if options.output is not None:
        write_results(scored.folders.rows, options.output)
    return _show(options, scored.document, "\n".join(scored.lines))


def _status(options: argparse.Namespace) -> int:
    return _told(options, Connection.remembered().get(f"submissions/{_id(options.submission)}/"))


def _watch(options: argparse.Namespace) -> int:
    return _follow(options, Connection.remembered(), _id(options.submission))


def _results(options: argparse.Namespace) -> int:
    answer = Connection.remembered().request("GET", f"submissions/{_id(options.submission)}/results.csv/")
    if options.json:
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        return _show(options, {"digest": answer.headers.get("Podium-Digest", ""), "rows": rows}, "")
    if options.output is None:
        sys.stdout.write(answer.text)
    else:
        durable.write_bytes(options.output, answer.content)
        _tell(f"Written to {options.output}; digest {answer.headers.get('Podium-Digest', '')}")
    return DONE


def _verify(options: argparse.Namespace) -> int:
    checked = verifying.check(options, tell=_tell)
    _show(options, checked.document, "\n".join(checked.lines))
    return DONE if checked.is_well else NOT_TAKEN


def _try(options: argparse.Namespace) -> int:
    if (options.references is None) != (options.assessment is None):
        raise ClientError("To score what it writes, give both --references and --assessment.")
    report = trying.attempt(
        options.archive,
        options.cases,
        _interface(options),
        model=options.model,
        output=options.output,
        engine_name=options.engine,
        limited=options.limits == "registered",
        references=options.references,
        assessment=options.assessment,
        tell=_tell,
    )
    rows = [["case", "outcome", "seconds", "memory", ""]]
    for tried in report.cases:
        memory = f"{tried.memory_mib:,.0f} MiB" if tried.memory_mib is not None else "-"
        rows.append([tried.case, tried.outcome, f"{tried.seconds:.1f}", memory, tried.reason])
    lines = [_table(rows), *(f"Note: {note}" for note in report.notes)]
    if any(tried.memory_mib is None for tried in report.cases):
        lines.append("Memory -: less than 16 MiB, or not measured.")
    for row in report.scores:
        where = f" in {row['region']}" if row["region"] else ""
        value = row["outcome"] if row["value"] is None else f"{row['value']:.6g}"
        lines.append(f"{row['case']}: {row['metric']}{where} {value}")
    if options.log or not report.is_well:
        lines += ["What the last case printed:", report.log.strip() or "nothing"]
    well = sum(tried.outcome == "ok" for tried in report.cases)
    lines.append(f"{well} of {len(report.cases)} cases have an output that can be used. Algorithm {report.identity}")
    _show(options, report.document, "\n".join(lines))
    return DONE if report.is_well else NOT_TAKEN


def _interface(options: argparse.Namespace) -> Any:
    if (options.interface is None) == (options.phase is None):
        raise ClientError("Say what the algorithm has to read and write: either --interface interface.json or --phase.")
    if options.interface is not None:
        try:
            return json.loads(options.interface.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ClientError(f"{options.interface} cannot be read as JSON ({error}).") from error
    connection = Connection.remembered()
    challenge, _, phase = options.phase.partition("/")
    number = _phase(connection, argparse.Namespace(challenge=challenge, phase=phase))
    return connection.get(f"{connection.origin}/challenges/{_slug(challenge)}/phases/{number}/interface.json")


def _analyse(options: argparse.Namespace) -> int:
    connection = Connection.remembered()
    answers = analysing.Answers(options.role, options.direction, options.missing)
    analysis = analysing.analyse(connection, options.file, title=options.title, answers=answers, tell=_tell)
    wanted = {"is_shared": options.share, "is_kept": options.keep}
    if analysis["state"] == "done" and any(wanted.values()):
        analysis = connection.request(
            "PATCH", analysis["url"], json={name: True for name in wanted if wanted[name]}
        ).json()
    _show(options, analysis, "\n".join(analysing.words_of(analysis)))
    return DONE if analysis["state"] == "done" else NOT_TAKEN


def _measure(options: argparse.Namespace) -> int:
    connection = Connection.remembered()
    fields = (
        {"kind": "cases"}
        if options.cases
        else {
            "kind": "values",
            "team": options.team,
            **{name: getattr(options, name) for name in ("measured_by", "measured_with", "measured_when")},
            **({"makes_teams": "true"} if options.make_teams else {}),
        }
    )
    table = measuring.bring(
        connection,
        options.file,
        challenge=_slug(options.challenge),
        phase=_phase(connection, options),
        fields=fields,
        roles=analysing.pairs("--role", options.role),
        seal=options.seal,
        tell=_tell,
        replicates=options.replicates,
    )
    _show(options, table, "\n".join(measuring.words_of(table)))
    return DONE if table["state"] == "sealed" or table["may_be_sealed"] else NOT_TAKEN


def _overlap(options: argparse.Namespace) -> int:
    connection = Connection.remembered()
    phase = _phase(connection, options)
    content, images = overlapping.sketches_of(options.folder, jobs=max(1, options.jobs), tell=_tell)
    if options.output is not None:
        overlapping.keep(content, options.output)
    result = overlapping.ask(
        connection,
        content,
        images,
        challenge=_slug(options.challenge),
        phase=phase,
        sends=options.send,
        tell=_tell,
    )
    return _show(options, result, "\n".join(overlapping.lines_of(result)))


def _submit_algorithm(options: argparse.Namespace, connection: Connection, phase: int) -> int:
    if options.image is None or options.path is not None:
        raise ClientError("An algorithm is an image (--image), with or without --weights, and no predictions.")
    submitted = algorithms.submit(
        connection,
        challenge=_slug(options.challenge),
        phase=phase,
        image=options.image,
        weights=options.weights,
        progress=_progress,
    )
    if options.watch:
        state = algorithms.follow(connection, submitted["run"], _tell)
        _show(options, state, algorithms.words(state))
        return NOT_TAKEN if state["state"] in algorithms.BAD else DONE
    return _show(options, submitted, f"Submitted as {submitted['submission']}. Its run is {submitted['run']}.")


def _runs(options: argparse.Namespace) -> int:
    challenge = _slug(options.challenge) if options.challenge else None
    rows = algorithms.runs(Connection.remembered(), challenge)
    lines = [[row["id"], row["challenge"], row["phase"], row["image"], algorithms.words(row)] for row in rows]
    return _show(options, rows, _table(lines))


def _logs(options: argparse.Namespace) -> int:
    rows = algorithms.logs(Connection.remembered(), options.run_id)
    text = "\n".join(f"--- start {row['batch'] + 1}\n{row['text']}" for row in rows)
    return _show(options, rows, text or "No log of this run may be read by your team.")


def _cancel(options: argparse.Namespace) -> int:
    state = algorithms.cancel(Connection.remembered(), options.run_id)
    return _show(options, state, algorithms.words(state))


def _follow(options: argparse.Namespace, connection: Connection, submission: str) -> int:
    last_line = ""
    while True:
        content = connection.get(f"submissions/{submission}/")
        state = content["progress"]
        counted = f" {state['done']} of {state['total']}" if state["done"] is not None else ""
        if (line := state["title"] + counted) != last_line:
            _tell(line)
            last_line = line
        if not state["is_moving"]:
            return _told(options, content)
        time.sleep(WATCH_SECONDS)


def _told(options: argparse.Namespace, content: dict[str, Any]) -> int:
    state = content["progress"]
    lines = [f"{content['team']} #{content['number']} in {content['phase_name']}: {state['title']}"]
    lines += [text for text in (state["text"], (content.get("counts") or {}).get("words"), state["next"]) if text]
    lines += [f"{finding['case']}: {finding['message']}. {finding['remedy']}" for finding in content["findings"]]
    lines += [f"{question['sentence']}" for question in content.get("questions", [])]
    for value in content["scores"] or []:
        where = f", {value['region']}" if value["region"] else ""
        withheld = "improved" in value  # the phase does not tell everything while it is open
        number = ("not told" if withheld else "undefined") if value["value"] is None else f"{value['value']:.6g}"
        lines.append(f"{value['metric']}{where}: {number}")
    _show(options, content, "\n".join(lines))
    return NOT_TAKEN if content["state"] in _BAD_STATES else DONE


def _checked(options: argparse.Namespace, connection: Connection, phase: int, *, quiet: bool = False) -> int:
    # Imports evaluation, which the small distribution lacks.
    from podium_client.validating import validate

    outcome = validate(connection, challenge=_slug(options.challenge), phase=phase, path=options.path)
    if not quiet:
        _show(options, outcome.document, "\n".join(outcome.lines))
    if options.run is _submit:
        if outcome.asked and not options.confirm:
            _tell("Nothing was uploaded. If the predictions are right, start the same command with --confirm.")
            return NOT_TAKEN
        return DONE if outcome.will_be_taken else NOT_TAKEN
    return NOT_TAKEN if outcome.findings else DONE


def _phase(connection: Connection, options: argparse.Namespace) -> int:
    """Find the phase by number, short name, or `task/short name`."""
    rows = connection.get(f"challenges/{_slug(options.challenge)}/")["phases"]
    fitting = [row for row in rows if options.phase in (str(row["id"]), row["slug"], f"{row['task']}/{row['slug']}")]
    if len(fitting) == 1:
        return int(fitting[0]["id"])
    phases = ", ".join(f"{row['id']} ({row['task']}/{row['slug']})" for row in rows) or "none"
    raise ClientError(f"There is no one phase {options.phase} of {options.challenge}; there are {phases}.")


def _slug(text: str) -> str:
    if not text or not all(c.isalnum() or c in "-_" for c in text):
        raise ClientError(f"{text} is no short name of a challenge; podium challenges lists them.")
    return text


def _id(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise ClientError(f"{text} is no identifier of a submission; podium submissions lists them.") from None


def _table(rows: list[list[str]]) -> str:
    if not rows:
        return "Nothing to list."
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _show(options: argparse.Namespace, document: Any, words: str) -> int:
    sys.stdout.write((json.dumps(document, indent=1) if options.json else _printable(words)) + "\n")
    return DONE


def _printable(text: str) -> str:
    """Leave out what would steer a terminal: names come from other people."""
    return "".join(c if c == "\n" or c.isprintable() else "�" for c in text)


def _tell(text: str) -> None:
    sys.stderr.write(f"{_printable(text)}\n")


def _progress(sent: int, size: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(
            f"\rUploading: {100 * sent // max(size, 1)} % of {size:,} bytes" + ("\n" if sent == size else "")
        )
        sys.stderr.flush()


def _download_progress(name: str, arrived: int, size: int) -> None:
    if sys.stderr.isatty():
        percent = 100 * arrived // max(size, 1)
        sys.stderr.write(f"\r{_printable(name)}: {percent} % of {size:,} bytes" + ("\n" if arrived == size else ""))
        sys.stderr.flush()
