"""Acceptance checks for messages of sites, in a fixed order; the first failed check determines the answer.

The module is pure: a `Ledger` contains the knowledge of the centre, and the caller decides on the use of an accepted
message.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from evaluation.federation.envelope import MOST_BYTES as MOST_ENVELOPE
from evaluation.federation.envelope import Opened, keyid_of, open_envelope
from evaluation.federation.errors import Refusal
from evaluation.federation.plausible import check_summary
from evaluation.federation.reading import check_form, read_canonical, read_json
from evaluation.federation.schemas import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment

NO_MESSAGE_BEFORE: Final = "0" * 64
"""``previous`` of the first message of a site."""
_AHEAD: Final = timedelta(minutes=10)


@dataclass(frozen=True)
class SiteKey:
    """A registered key of a site: 32 bytes, from when it holds, and until when or whether it was revoked."""

    site: str
    public: bytes
    since: datetime
    until: datetime | None = None
    revoked: bool = False


@dataclass(frozen=True)
class SitePackage:
    """Package that sites must evaluate now.

    Attributes
    ----------
    digest
        Digest of the package.
    images
        Digest of the image of every algorithm by name; ``None`` if predictions are imported.
    either
        Names of algorithms whose image may be run or whose predictions may be imported.
    """

    digest: str
    images: Mapping[str, str | None]
    either: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Received:
    """Accepted messages of a site: digest of each payload by its sequence number, and the sealed manifest.

    `packages` are those for which the site sent a result. A small site may have transferred its results to another
    site, `handed_to`. A site that received such results sealed with the sites `guests`. Everything but `payloads`
    applies to the site, regardless of the signing key.
    """

    payloads: Mapping[int, str] = field(default_factory=dict)
    manifest: str | None = None
    units: int | None = None
    packages: frozenset[str] = frozenset()
    handed_to: str | None = None
    guests: frozenset[str] = frozenset()
    withdrew: bool = False
    sealed_by_former_key: bool = False


@dataclass(frozen=True)
class Ledger:
    """Knowledge of a centre about a federation when a message arrives."""

    federation: str
    assessment: Assessment
    package: SitePackage
    keys: tuple[SiteKey, ...]
    received: Mapping[str, Received] = field(default_factory=dict)
    minimum: int = 10
    site_column: str = "site"
    closes_at: datetime | None = None
    allow_test: bool = False
    joins: bool = False
    """True if sites with fewer units than the minimum may join another site."""


@dataclass(frozen=True)
class Accepted:
    """A message that is accepted.

    Attributes
    ----------
    digest
        SHA-256 of its payload.
    replay
        Whether the very same payload was accepted before: it has no second effect.
    """

    message: Mapping[str, Any]
    kind: str
    digest: str
    replay: bool = False


def accept(data: bytes, ledger: Ledger, *, now: datetime) -> Accepted:
    """Check a signed message of a site.

    Parameters
    ----------
    data
        The envelope as it was received, through the network or in a file.
    ledger
        What the centre knows.
    now
        Moment of arrival, with its time zone.

    Raises
    ------
    Refusal
        With its code and one sentence that names what is wrong. Nothing of a refused message may be stored but its digest.
    """
    keys = {keyid_of(key.public): key for key in ledger.keys}
    opened = open_envelope(data, {keyid: key.public for keyid, key in keys.items()})
    key = keys[opened.keyid]
    if key.revoked:
        raise Refusal("unknown_key", f"the key of site {key.site} was revoked: register a new one")
    if key.until is not None and now > key.until:
        raise Refusal("unknown_key", f"the key of site {key.site} expired: register a new one")
    message = _read(opened)
    site = message["site"]
    if site != key.site:
        raise Refusal("unknown_key", f"the message says site {site}, but the key belongs to site {key.site}")
    if message["federation"] != ledger.federation:
        raise Refusal(
            "other_federation", f"the message belongs to the federation {message['federation'][:12]}…, not to this one"
        )
    received = ledger.received.get(site, Received())
    if opened.digest in received.payloads.values():
        return Accepted(message, opened.kind, opened.digest, replay=True)
    _check_order(message, received)
    _check_clock(message, key, now)
    if opened.kind == "manifest-seal":
        _check_seal(message, received)
        _check_guests(message, ledger)
    elif opened.kind == "site-hand-over":
        _check_package(message, ledger)
        _check_hand_over(message, ledger, received)
    elif opened.kind == "site-withdrawal":
        _check_withdrawal(message, ledger, received)
    elif opened.kind in ("compatibility", "site-progress"):
        _check_package(message, ledger)
    elif opened.kind == "result":
        _check_result(message, ledger, received)
    if opened.kind != "site-withdrawal" and ledger.closes_at is not None and now > ledger.closes_at:
        raise Refusal(
            "late", f"the phase closed at {ledger.closes_at:%Y-%m-%d %H:%M} UTC: this enters a later ranking only"
        )
    return Accepted(message, opened.kind, opened.digest)


@dataclass(frozen=True)
class Enrolment:
    """A site that registers its key: nothing of it is confirmed yet but that the key signed it."""

    message: Mapping[str, Any]
    public: bytes
    digest: str


def enrol(data: bytes, *, federation: str, now: datetime) -> Enrolment:
    """Check a registration, the one message whose key is not known before: it is signed by the key that it brings.

    Raises
    ------
    Refusal
        As `accept`. Whether the invitation is good, the caller decides.
    """
    envelope = read_json(data, most=MOST_ENVELOPE)
    if "site-registration" not in str(envelope.get("payloadType")):
        raise Refusal("unknown_key", "the key of this message is not registered for any site of this federation")
    try:
        claimed = read_json(base64.b64decode(str(envelope.get("payload", "")), validate=True))
        public = bytes.fromhex(claimed["key"]["public"])
    except (binascii.Error, ValueError, KeyError, TypeError, Refusal):
        raise Refusal("malformed", "this is no registration: it brings no public key") from None
    if len(public) != 32:
        raise Refusal("malformed", "this is no registration: its public key has not 32 bytes")
    opened = open_envelope(data, {keyid_of(public): public})
    if opened.kind != "site-registration":
        raise Refusal("unknown_key", f"the key of this {opened.kind} is not registered: register the site first")
    message = _read(opened)
    if message["federation"] != federation:
        raise Refusal(
            "other_federation", f"the message belongs to the federation {message['federation'][:12]}…, not to this one"
        )
    _check_order(message, Received())
    if _sent_at(message) > now + _AHEAD:
        raise Refusal("clock", f"sent_at is {message['sent_at']}, which lies in the future: set the clock of the site")
    return Enrolment(message, public, opened.digest)


def _read(opened: Opened) -> dict[str, Any]:
    if opened.kind not in MESSAGES:
        raise Refusal("invalid", f"{opened.kind!r} is no message of a site; there is {', '.join(MESSAGES)}")
    message = read_canonical(opened.body)
    if message.get("schema") != f"podium.{opened.kind}/1":
        raise Refusal("not_canonical", f"the envelope says {opened.kind}, the message {message.get('schema')!r}")
    check_form(message, MESSAGES[opened.kind])
    return message


def _check_order(message: Mapping[str, Any], received: Received) -> None:
    site, sequence, last = message["site"], message["sequence"], max(received.payloads, default=0)
    if sequence in received.payloads:
        raise Refusal(
            "fork",
            f"site {site} sent another message number {sequence} before: its folder was copied or restored",
        )
    if sequence != last + 1:
        raise Refusal("gap", f"this is message {sequence} of site {site}, expected is {last + 1}")
    before = received.payloads.get(last, NO_MESSAGE_BEFORE)
    if message["previous"] != before:
        raise Refusal(
            "gap", f"message {sequence} of site {site} follows {message['previous'][:12]}…, not {before[:12]}…"
        )


def _check_clock(message: Mapping[str, Any], key: SiteKey, now: datetime) -> None:
    sent = _sent_at(message)
    if sent > now + _AHEAD:
        raise Refusal("clock", f"sent_at is {message['sent_at']}, which lies in the future: set the clock of the site")
    if sent < key.since:
        raise Refusal(
            "clock", f"sent_at is {message['sent_at']}, before the key was registered: set the clock of the site"
        )


def _sent_at(message: Mapping[str, Any]) -> datetime:
    try:
        return datetime.strptime(message["sent_at"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise Refusal("clock", f"sent_at is {message['sent_at']}, which is no moment") from None


def _check_seal(message: Mapping[str, Any], received: Received) -> None:
    if message["units"] > message["cases"]:
        raise Refusal("implausible", f"{message['units']} units of {message['cases']} cases")
    graded = sum(message["grades"].values())
    if graded != message["cases"]:
        raise Refusal("implausible", f"the grades count {graded} cases, the manifest has {message['cases']}")
    if received.packages:
        raise Refusal(
            "other_manifest",
            f"site {message['site']} sent a result: sums over other cases beside it would tell the difference apart",
        )
    if received.manifest is not None and not received.sealed_by_former_key and message["version"] < 2:
        raise Refusal(
            "other_manifest", f"site {message['site']} sealed its cases before: a new manifest has version 2 or more"
        )


def _check_hand_over(message: Mapping[str, Any], ledger: Ledger, received: Received) -> None:
    """A small site joins another one: once, before either of them sent anything over cases."""
    site, host = message["site"], message["to"]
    if not ledger.joins:
        raise Refusal("joining", "small sites do not join others here: the registered rule is to leave them out")
    if host == site or host not in {key.site for key in ledger.keys if not key.revoked}:
        raise Refusal("joining", f"site {site} cannot join {host}: no other site of that name has a key")
    if received.handed_to not in (None, host):
        raise Refusal("joining", f"site {site} joined site {received.handed_to} before: once is all")
    if received.manifest is not None or received.packages:
        raise Refusal("joining", f"site {site} sealed its cases for a summary of its own and joins no other site")
    other = ledger.received.get(host, Received())
    if other.handed_to is not None:
        raise Refusal("joining", f"site {host} joined site {other.handed_to} itself")


def _check_guests(message: Mapping[str, Any], ledger: Ledger) -> None:
    """The sites that a message counts in have all signed that they joined its sender."""
    guests = message.get("with", [])
    if guests and not ledger.joins:
        raise Refusal("joining", "small sites do not join others here: the registered rule is to leave them out")
    for guest in guests:
        other = ledger.received.get(guest, Received())
        if other.handed_to != message["site"] or other.withdrew:
            raise Refusal(
                "joining",
                f"site {guest} has not signed that it joined site {message['site']}: its message has to come first",
            )


def _check_withdrawal(message: Mapping[str, Any], ledger: Ledger, received: Received) -> None:
    host = received.handed_to
    if host is None or message["results"] == "keep":
        return
    if message["site"] in ledger.received.get(host, Received()).guests:
        raise Refusal(
            "joining",
            f"the cases of site {message['site']} are sealed with those of site {host}, whose sums cannot be taken apart: "
            f"site {host} withdraws, or is left out",
        )


def _check_package(message: Mapping[str, Any], ledger: Ledger) -> None:
    if message["package"] != ledger.package.digest:
        raise Refusal(
            "old_package",
            f"the package {message['package'][:12]}… is not the current one, {ledger.package.digest[:12]}…: fetch it",
        )


def _check_result(message: Mapping[str, Any], ledger: Ledger, received: Received) -> None:
    summary, site = message["summary"], message["site"]
    if received.handed_to is not None:
        raise Refusal("joining", f"site {site} joined site {received.handed_to}: its cases are in that one's summary")
    if message["package"] in received.packages:
        raise Refusal(
            "sent", f"site {site} sent its result of this package before: one summary is all that leaves a site"
        )
    _check_package(message, ledger)
    if summary["assessment"] != ledger.assessment.digest:
        raise Refusal(
            "old_assessment",
            f"site {site} evaluated the assessment {summary['assessment'][:12]}…, current is {ledger.assessment.digest[:12]}…",
        )
    named = [run["algorithm"] for run in message["runs"]]
    for run in message["runs"]:
        _check_run(run, ledger.package)
    if sorted(named) != summary["algorithms"]:
        raise Refusal("implausible", "the runs and the summary do not name the same algorithms")
    if set(named) != set(ledger.package.images):
        other = min(set(named) ^ set(ledger.package.images))
        raise Refusal("implausible", f"the runs are not those of the package: {other!r} stands in one of them only")
    if summary["site"] != site:
        raise Refusal("implausible", f"the message is of site {site}, its summary of site {summary['site']}")
    if received.manifest is None:
        raise Refusal("other_manifest", f"site {site} has not sealed its cases: send the manifest first")
    if message["manifest"] != received.manifest:
        raise Refusal("other_manifest", f"the result is over other cases than site {site} sealed")
    if set(message.get("with", [])) != received.guests:
        raise Refusal("other_manifest", f"the result names other sites that joined than site {site} sealed with")
    _check_guests(message, ledger)
    if received.units is not None and summary["units"] > received.units:
        raise Refusal("implausible", f"the summary counts {summary['units']} units, sealed were {received.units}")
    check_summary(
        ledger.assessment,
        summary,
        site_column=ledger.site_column,
        minimum=ledger.minimum,
        allow_test=ledger.allow_test,
    )


def _check_run(run: Mapping[str, Any], package: SitePackage) -> None:
    name = run["algorithm"]
    if name not in package.images:
        raise Refusal("foreign_image", f"algorithm {name!r} is not in the package")
    wanted = package.images[name]
    if run["image"] is None:
        if wanted is not None and name not in package.either:
            raise Refusal(
                "predictions_not_allowed", f"predictions of {name!r} were carried in, but its image has to be run"
            )
        if run.get("predictions") is None:
            raise Refusal("invalid", f"the run of {name!r} names neither an image nor predictions")
    elif run["image"] != wanted:
        raise Refusal("foreign_image", f"the image {run['image'][:19]}… of {name!r} is not that of the package")
