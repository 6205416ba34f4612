"""Commands of `podium site`.

The exit status is 0 when done, 1 when the centre refused or a check failed, and 2 with one line for invalid input.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluation import __version__
from evaluation.cli import InputError
from evaluation.cli.inputs import read_assessment
from evaluation.federation.documents import digest_of
from podium_client.connection import RefusedError
from podium_client.errors import ClientError
from podium_client.site import (
    cases,
    checking,
    guests,
    images,
    joined,
    joining,
    outbox,
    running,
    steps,
    summarising,
    wire,
)
from podium_client.site.folder import SiteFolder, written

DONE, NOT_TAKEN = 0, 1


def _join(options: argparse.Namespace) -> int:
    invitation = joining.read_invitation(options.invitation)
    person = _confirmed(invitation, options)
    if not person:
        return NOT_TAKEN
    site = joining.join(invitation, options.place, confirmed_by=person, country=options.country.upper())
    _say(f"Made {site.path}. Fingerprint of its key: {site.fingerprint}")
    return _registered(site, options.invitation)


def _new_key(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    invitation = joining.read_invitation(options.invitation)
    person = _confirmed(invitation, options)
    if not person:
        return NOT_TAKEN
    joining.renew(site, invitation, confirmed_by=person)
    _say(f"Site {site.name} has a new key. Its fingerprint: {site.fingerprint}. Cases and results are as they were.")
    return _registered(site, options.invitation)


def _confirmed(invitation: Mapping[str, Any], options: argparse.Namespace) -> str:
    """Show the terms and request confirmation.

    Returns the name of the person who confirmed them. The name is empty if the terms were not confirmed.
    """
    _say(f"{invitation['challenge']}, {invitation['phase']}: invitation of site {invitation['site']}")
    _say("")
    _say(invitation["terms"]["text"])
    _say("")
    person = options.confirmed_by or _asked("Who confirms these terms for the site? Your name: ", "--confirmed-by")
    if not options.yes and _asked("Do you confirm them? [yes/no] ", "--yes").lower() not in ("yes", "y"):
        _say("Nothing was made.")
        return ""
    return str(person)


def _registered(site: SiteFolder, source: str) -> int:
    _say("Tell it to the organizers by telephone; they compare it with what they see.")
    if "://" in source:
        return _deliver(site, kinds=("site-registration",))
    _say("Next: podium site send, or podium site send --output FILE to carry it.")
    return DONE


def _fetch(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    if options.image and options.source is None and site.has("package/package.json"):
        package = site.package
    else:
        package = joining.fetch(site) if options.source is None else joining.fetch_from(site, options.source)
    for archive in options.image:
        _say(f"Image of {images.take(site, archive)} from {archive}.")
    if not options.image and options.source is None:
        images.fetch(site, _say)
    _say(f"Package {package['version']}: {len(package['algorithms'])} algorithms ({', '.join(site.algorithms)}).")
    _say(f"Put references into {cases.references_of(site)}.")
    if run_here := images.wanted(site):
        _say(
            f"{len(run_here)} of them are run here: put the images of your cases into {site.path / 'cases' / 'images'}."
        )
    if len(run_here) < len(site.algorithms):
        _say(f"Put predictions of the others into {site.path / 'predictions'}, one folder an algorithm.")
    if absent := images.lacking(site):
        _say(f"Images that are not here yet: {', '.join(absent)}. Carry them: podium site fetch --image FILE")
    return DONE


def _check(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    report = checking.check(site)
    if site.package["dry_run"] is None:
        _say("The package has no public cases.")
    elif report["dry_run"]["passed"]:
        _say(f"Public cases: the same values (largest difference {report['dry_run']['largest_difference']:.1g}).")
    else:
        _say(f"Public cases: values differ by up to {report['dry_run']['largest_difference']:.1g} ({report['where']}).")
    if report["unreadable"]:
        _say(f"{len(report['unreadable'])} of your references cannot be read: {', '.join(report['unreadable'][:5])}")
    else:
        _say("Your references can be read.")
    if report["engine"]:
        _say(f"Containers can be run here ({report['engine']}).")
    _say("Passed." if report["passed"] else "Not passed; nothing will be sent. Tell the organizers what stands above.")
    return DONE if report["passed"] else NOT_TAKEN


def _grade(options: argparse.Namespace) -> int:
    cases.grade(SiteFolder(options.folder), options.case, options.grade, options.reason)
    _say(f"{options.case}: {options.grade}")
    return DONE


def _seal(options: argparse.Namespace) -> int:
    content = cases.seal_cases(SiteFolder(options.folder))
    counts = ", ".join(f"{number} {name}" for name, number in content["grades"].items() if number)
    if content["small"]:
        _say("Sealed here. This site has too few cases for a summary of its own, so nothing of it is signed or sent.")
        _say("Score the algorithms (podium site run), then join another site: podium site hand-over.")
        return DONE
    _say(
        f"Sealed {content['cases']} cases ({counts}) as {content['manifest'][:16]}…; no other case counts from now on."
    )
    return DONE


def _run(options: argparse.Namespace) -> int:
    left = running.run(
        SiteFolder(options.folder),
        chosen=options.algorithm,
        failed=options.failed,
        carried=options.carried,
        engine=options.engine,
        attribution=options.attribution,
        jobs=options.jobs,
        tell=_say,
    )
    _say(f"{len(left)} algorithms are left: {', '.join(left)}" if left else "All algorithms are scored.")
    return DONE


def _summary(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    content = summarising.make(site)
    sys.stdout.write(summarising.preview(site, content))
    return DONE


def _send(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    if site.has("summary.json") and not summarising.is_signed(site):
        content = summarising.make(site)
        digest = digest_of(content)
        if options.digest:
            if options.digest != digest:
                raise ClientError(
                    f"The summary has the digest {digest}; read it (podium site summary) and give that one."
                )
        else:
            sys.stdout.write(summarising.preview(site, content))
            if _asked("Send these numbers? [yes/no] ", "--digest").lower() not in ("yes", "y"):
                _say("Nothing was signed, nothing was sent.")
                return NOT_TAKEN
        summarising.sign(site, content)
    return _deliver(site, options.output)


def _deliver(site: SiteFolder, target: Path | None = None, kinds: tuple[str, ...] = ()) -> int:
    pending = [message for message in outbox.waiting(site) if not kinds or message.kind in kinds]
    if not pending:
        _say("Nothing waits to be sent.")
        return DONE
    if target is not None:
        written(target, outbox.carried(pending), mode=0o644)
        _say(
            f"{target}: {len(pending)} signed messages. Upload it on the page of the invitation; anybody may carry it."
        )
        _say("Download the receipts there, and file them with: podium site receipt FILE")
        return DONE
    for message in pending:
        try:
            receipt = outbox.file_receipt(site, wire.post(site, message.envelope))
        except RefusedError as refusal:
            site.note("refused", sequence=message.sequence, reason=str(refusal))
            _say(f"Message {message.sequence} ({message.kind}) was refused: {refusal}")
            return NOT_TAKEN
        _say(
            f"Message {message.sequence} ({message.kind}): {receipt['state']}; entry {receipt['audit']['sequence']} of the log."
        )
    return DONE


def _receipt(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    try:
        content = json.loads(options.file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ClientError(f"{options.file} cannot be read as receipts ({type(error).__name__}).") from error
    envelopes = content.get("envelopes", [content]) if isinstance(content, dict) else []
    for envelope in envelopes:
        receipt = outbox.file_receipt(site, json.dumps(envelope).encode())
        _say(f"Message {receipt['sequence']}: {receipt['state']}.")
    return DONE


def _hand_over(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    digest = joined.hand_over(site, to=options.to, whom=options.recipient, target=options.output)
    _say(
        f"{options.output}: results of {len(site.algorithms)} algorithms for site {options.to}, which alone can read them."
    )
    _say(f"Its SHA-256 is {digest}. Give it to them, not to the organizers.")
    _say(f"That this site joins {options.to} is signed. Send it: podium site send")
    return DONE


def _take_in(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    name = guests.take_in(site, options.file)
    _say(f"Took in the results of site {name}. They are sealed and summed with the own ones: podium site seal.")
    return DONE


def _status(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    if options.recipient:
        _say(guests.recipient(site))
        return DONE
    all_steps = steps.steps(site)
    current = next((step for step in all_steps if not step.done), None)
    if options.json:
        rows = [{"step": step.title, "done": step.done, "command": step.command} for step in all_steps]
        document = {"site": site.name, "fingerprint": site.fingerprint, "kit": __version__, "steps": rows}
        sys.stdout.write(json.dumps(document | {"next": current.command if current else None}, indent=1) + "\n")
        return DONE
    _say(f"Site {site.name}, {site.facts['challenge']}; fingerprint of its key {site.fingerprint}")
    for step in all_steps:
        _say(f"  {'done' if step.done else 'next' if step is current else '    '}  {step.title}")
    _say(f"Next: {current.command}" if current else "Nothing is left to do.")
    return DONE


def _next(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    current = next((step for step in steps.steps(site) if not step.done), None)
    if current is None:
        _say("Nothing is left to do.")
        return DONE
    if current.word == "hand-over":
        _say(f"{current.title}: podium site hand-over --to SITE --recipient AGE1… --output FILE")
        _say("The other site says its name in the challenge, and its recipient: podium site status --recipient.")
        return DONE
    _say(f"{current.title}: {current.command}")
    given: dict[str, Any] = {
        "source": None,
        "image": [],
        "algorithm": [],
        "failed": [],
        "carried": [],
        "engine": "podman",
    }
    given |= {"attribution": "submission", "output": None, "digest": "", "recipient": False}
    return COMMANDS[current.word](argparse.Namespace(**{**given, **vars(options)}))


def _withdraw(options: argparse.Namespace) -> int:
    site = SiteFolder(options.folder)
    outbox.queue(site, "site-withdrawal", {"reason": options.reason, "results": options.results})
    _say("The withdrawal is signed. Send it: podium site send")
    return DONE


def _pack_test(options: argparse.Namespace) -> int:
    try:
        assessment = read_assessment(options.assessment)
    except InputError as error:
        raise ClientError(str(error)) from error
    number = checking.pack_test(assessment, options.references, options.predictions, options.output)
    _say(f"{options.output}: {number} values. Upload it on the page Sites of the challenge.")
    return DONE


def _asked(question: str, option: str) -> str:
    if not sys.stdin.isatty():
        raise ClientError(f"Nobody can be asked here: give {option}.")
    answer = input(question).strip()
    if not answer:
        raise ClientError("Nothing was answered.")
    return answer


def _say(text: str) -> None:
    sys.stdout.write("".join(c if c == "\n" or c.isprintable() else "�" for c in text) + "\n")


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "join": _join,
    "new-key": _new_key,
    "next": _next,
    "fetch": _fetch,
    "check": _check,
    "grade": _grade,
    "seal": _seal,
    "run": _run,
    "summary": _summary,
    "send": _send,
    "receipt": _receipt,
    "hand-over": _hand_over,
    "take-in": _take_in,
    "status": _status,
    "withdraw": _withdraw,
    "pack-test": _pack_test,
}
"""Functions of the subcommands, by name."""
