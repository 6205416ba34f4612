"""Taking what sites send: one way for the network and for files that were carried."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from accounts.notifications.domain import letters_of_records
from accounts.notifications.services import notify
from challenges.queries import label_of
from challenges.queries.people import organizers_of
from core.audit.services import hold_chain, record
from core.work.services import enqueue
from datastore.test_sets import vault
from evaluation.federation import Refusal
from evaluation.federation.documents import REQUEST, digest_of
from evaluation.federation.envelope import MOST_BYTES, keyid_of, open_envelope
from evaluation.federation.inbox import Accepted, Enrolment, accept, enrol
from evaluation.federation.reading import check_form, read_canonical, read_json
from federation.domain.signing import signed
from federation.models import Enrolment as EnrolmentRow
from federation.models import Federation, SignedMessage, Site
from federation.queries.federations import current_package, ledger_of
from federation.services.refusals import count_unsigned, keep_refusal
from federation.services.sites import code_digest, tell_changed

CARRIED: Final = "podium.site-carried/1"
MOST_CARRIED: Final = 8 * MOST_BYTES
_MOST_ENVELOPES: Final = 20
_ACTS: Final[Mapping[str, str]] = {
    "site-registration": "site_registered",
    "manifest-seal": "site_sealed",
    "compatibility": "site_compatibility_reported",
    "site-progress": "site_began",
    "result": "site_result_accepted",
    "site-hand-over": "site_joined_another",
    "site-withdrawal": "site_withdrawn",
}
_FACTS: Final[Mapping[str, tuple[str, ...]]] = {
    "manifest-seal": ("manifest", "version", "units", "cases", "grades", "with"),
    "compatibility": ("package", "dry_run", "local", "seconds_a_case", "kit"),
    "site-progress": ("package", "algorithms"),
    "result": ("package", "manifest", "attempt", "with"),
    "site-hand-over": ("package", "to", "document"),
    "site-withdrawal": ("reason", "results"),
    "site-registration": ("terms", "confirmed_by", "kit"),
}
_WINDOW: Final = timedelta(minutes=10)
KEPT_AFTER_WITHDRAWAL: Final = timedelta(days=30)


@dataclass(frozen=True)
class Answer:
    """Answer to a message: the signed receipt, and whether the message had arrived before."""

    receipt: str
    replay: bool
    kind: str
    sequence: int
    state: str


def receive(data: bytes, *, federation: Federation, now: datetime | None = None) -> Answer:
    """Take a signed message of a site.

    Raises
    ------
    Refusal
        With its code and one sentence. Of a message that a registered key signed, the refusal and the SHA-256 are kept;
        of any other message nothing.
    """
    moment = now or timezone.now()
    is_authentic = False
    try:
        is_authentic = _check_signature(data, federation, moment)
        with transaction.atomic():
            # One message of a federation after the other: a sequence has no second.
            hold_chain()
            locked = (
                Federation.objects.select_for_update(no_key=True, of=("self",))
                .select_related("phase__task__challenge")
                .get(pk=federation.pk)
            )
            return _taken(data, locked, moment)
    except Refusal as refusal:
        if is_authentic:
            keep_refusal(data, federation, refusal)
        else:
            count_unsigned(federation, refusal)
        raise


def _check_signature(data: bytes, federation: Federation, now: datetime) -> bool:
    """Refuse unsigned messages without a lock; return whether a registered, unrevoked key of this federation signed it."""
    rows = EnrolmentRow.objects.filter(site__federation=federation).exclude(public_key="")
    keys = [(bytes.fromhex(key), revoked_at) for key, revoked_at in rows.values_list("public_key", "revoked_at")]
    try:
        opened = open_envelope(data, {keyid_of(key): key for key, _ in keys})
    except Refusal as refusal:
        if refusal.code != "unknown_key":
            raise
        enrol(data, federation=federation.identifier, now=now)
        return False
    return opened.keyid in {keyid_of(key) for key, revoked_at in keys if revoked_at is None}


def receive_carried(data: bytes, *, federation: Federation) -> tuple[list[Answer], Refusal | None]:
    """Take a file with messages in their order; stops at the first that is refused."""
    answers: list[Answer] = []
    try:
        content = read_json(data, most=MOST_CARRIED)
        envelopes = content.get("envelopes", [content]) if content.get("schema") == CARRIED else [content]
        if not isinstance(envelopes, list) or not 1 <= len(envelopes) <= _MOST_ENVELOPES:
            raise Refusal("malformed", f"a file holds 1 to {_MOST_ENVELOPES} messages")  # noqa: TRY301
    except Refusal as refusal:
        return [], refusal
    for envelope in envelopes:
        try:
            answers.append(receive(json.dumps(envelope).encode(), federation=federation))
        except Refusal as refusal:
            return answers, refusal
    return answers, None


def _taken(data: bytes, federation: Federation, now: datetime) -> Answer:
    ledger = ledger_of(federation)
    assert ledger is not None
    confirmed = set(
        EnrolmentRow.objects.filter(site__federation=federation, confirmed_at__isnull=False, revoked_at=None)
        .exclude(public_key="")
        .values_list("public_key", flat=True)
    )
    try:
        accepted = accept(data, ledger, now=now)
    except Refusal as refusal:
        if refusal.code != "unknown_key" or "not registered" not in str(refusal):
            raise
        return _registered(enrol(data, federation=federation.identifier, now=now), data, federation, now)
    enrolment = EnrolmentRow.objects.select_related("site").get(
        site__federation=federation, site__name=accepted.message["site"], revoked_at=None
    )
    if accepted.replay:
        return _again(enrolment, accepted)
    if enrolment.public_key not in confirmed:
        raise Refusal(
            "unconfirmed",
            f"the key of site {enrolment.site.name} waits for the organizers: tell them its fingerprint, {enrolment.fingerprint}",
        )
    if enrolment.site.counts == Site.Counts.WITHDRAWN:
        raise Refusal("withdrawn", f"site {enrolment.site.name} withdrew")
    answer = _kept(enrolment, accepted.message, accepted.kind, accepted.digest, data, federation, now)
    if accepted.kind == "site-withdrawal":
        _withdraw(enrolment.site, accepted)
    return answer


def _registered(new_enrolment: Enrolment, data: bytes, federation: Federation, now: datetime) -> Answer:
    message = new_enrolment.message
    rows = EnrolmentRow.objects.select_for_update(no_key=True, of=("self",)).select_related("site")
    enrolment = rows.filter(
        site__federation=federation, code_sha256=code_digest(message["invitation"]), site__name=message["site"]
    ).first()
    if enrolment is None:
        raise Refusal(
            "invitation", f"this is no invitation of site {message['site']}: ask the organizers for a new one"
        )
    if enrolment.public_key:
        raise Refusal("invitation", f"the invitation of site {message['site']} was used before: it is good for one key")
    if enrolment.revoked_at is not None or now > enrolment.expires_at:
        raise Refusal(
            "invitation", f"the invitation of site {message['site']} has ended: ask the organizers for a new one"
        )
    if message["terms"] != digest_of({"text": federation.terms}):
        raise Refusal(
            "terms", "the terms that were confirmed are not those of this challenge: read the invitation again"
        )
    enrolment.public_key = new_enrolment.public.hex()
    enrolment.key_since = _moment(message["sent_at"])
    enrolment.registered_at = now
    enrolment.terms_sha256, enrolment.terms_confirmed_by = message["terms"], message["confirmed_by"]
    enrolment.save()
    if message.get("country") and not enrolment.site.country:
        enrolment.site.country = message["country"]
        enrolment.site.save(update_fields=["country"])
    answer = _kept(enrolment, message, "site-registration", new_enrolment.digest, data, federation, now)
    former = enrolment.site.enrolments.exclude(revoked_at=None).exclude(public_key="").order_by("pk").last()
    if former is not None:
        record(
            actor=None,
            act="site_key_replaced",
            subject=enrolment.site,
            scope=federation.phase.challenge.slug,
            facts={
                "federation": federation.identifier,
                "site": enrolment.site.name,
                "former": former.public_key,
                "key": enrolment.public_key,
            },
        )
    challenge = federation.phase.challenge
    letter = letters_of_records.SITE_REGISTERED.letter(_of_site(federation, enrolment.site.name))
    notify(
        people=organizers_of(challenge),
        kind="site_registered",
        subject=letter.subject,
        text=letter.text,
        address=f"/challenges/{challenge.slug}/organize/sites/",
        scope=challenge.slug,
        key=str(enrolment.pk),
    )
    return answer


def _kept(
    enrolment: EnrolmentRow,
    message: Mapping[str, Any],
    kind: str,
    digest: str,
    data: bytes,
    federation: Federation,
    now: datetime,
) -> Answer:
    site = enrolment.site
    is_late = kind == "result" and federation.phase.is_closed
    facts = {key: message[key] for key in _FACTS[kind] if key in message}
    if kind == "result":
        run = sum(entry["image"] is not None for entry in message["runs"])
        facts |= {"images": run, "carried": len(message["runs"]) - run}
    public = {key: value for key, value in facts.items() if key != "confirmed_by"}
    entry = record(
        actor=None,
        act=_ACTS[kind],
        subject=site,
        scope=federation.phase.challenge.slug,
        facts={
            "federation": federation.identifier,
            "site": site.name,
            "sequence": message["sequence"],
            "payload": digest,
            "key": enrolment.public_key,
            **({"late": True} if is_late else {}),
            **public,
        },
    )
    state = "late" if is_late else "accepted"
    receipt = signed(
        {
            "schema": "podium.receipt/1",
            "site": site.name,
            "sequence": message["sequence"],
            "payload": digest,
            "received_at": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "state": state,
            "audit": {"sequence": entry.sequence, "digest": entry.digest},
        }
    )
    name = f"sites/{federation.identifier}/{digest}.json.age"
    vault.keep_bytes(name, data)
    SignedMessage.objects.create(
        enrolment=enrolment,
        sequence=message["sequence"],
        kind=kind,
        digest=digest,
        sent_at=_moment(message["sent_at"]),
        received_at=now,
        is_late=is_late,
        facts=facts,
        envelope_name=name,
        receipt=receipt,
    )
    return Answer(receipt, False, kind, message["sequence"], state)


def _again(enrolment: EnrolmentRow, accepted: Accepted) -> Answer:
    """Answer a repeated message with its first receipt; it changes nothing, and anyone who saw it can send it again."""
    row = enrolment.messages.get(digest=accepted.digest)
    return Answer(row.receipt, True, row.kind, row.sequence, "late" if row.is_late else "accepted")


def _withdraw(site: Site, accepted: Accepted) -> None:
    site.counts = Site.Counts.WITHDRAWN if accepted.message["results"] == "remove" else site.counts
    reason = accepted.message["reason"].strip()[:400]
    site.reason = reason or "it withdrew"
    if accepted.message["results"] == "keep":
        site.reason = f"withdrew and left its sums{f': {reason}' if reason else ''}"
    if accepted.message["results"] == "remove":
        phase = site.federation.phase
        # What was published can be recomputed for a while; before that nobody has seen anything.
        site.removes_at = timezone.now() + (KEPT_AFTER_WITHDRAWAL if phase.is_closed else timedelta(0))
    site.save(update_fields=["counts", "reason", "removes_at"])
    if accepted.message["results"] == "remove":
        tell_changed(site.federation)
        enqueue("federation.tasks.remove_sums")


def read_request(data: bytes, *, federation: Federation) -> tuple[EnrolmentRow, str]:
    """Read the signed question of a site for its package or a file; returns who asks and what for.

    Raises
    ------
    Refusal
        When it is not signed by a confirmed key of this federation, or is older than some minutes.
    """
    rows = EnrolmentRow.objects.filter(site__federation=federation, revoked_at=None).exclude(public_key="")
    keys = {row.public_key: row for row in rows.select_related("site")}
    by_id = {keyid_of(bytes.fromhex(public)): public for public in keys}
    opened = open_envelope(data, {keyid: bytes.fromhex(public) for keyid, public in by_id.items()})
    message = read_canonical(opened.body)
    if opened.kind != "site-request":
        raise Refusal("invalid", f"this is a {opened.kind}, not a question for a file")
    check_form(message, REQUEST)
    enrolment = keys[by_id[opened.keyid]]
    if message["site"] != enrolment.site.name:
        raise Refusal("unknown_key", f"the key belongs to site {enrolment.site.name}")
    if message["federation"] != federation.identifier:
        raise Refusal("other_federation", "the question belongs to another challenge")
    if abs(_moment(message["sent_at"]) - timezone.now()) > _WINDOW:
        raise Refusal("clock", f"sent_at is {message['sent_at']}: set the clock of the site")
    if enrolment.confirmed_at is None:
        raise Refusal(
            "unconfirmed",
            f"the key of site {enrolment.site.name} waits for the organizers: tell them its fingerprint, {enrolment.fingerprint}",
        )
    return enrolment, message["wanted"]


def package_envelope(federation: Federation) -> str:
    """The signed package that sites get now.

    Raises
    ------
    Refusal
        Before one was released.
    """
    package = current_package(federation)
    if package is None:
        raise Refusal("no_package", "the organizers have not released a package yet: try again later")
    return package.envelope


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def _of_site(federation: Federation, name: str) -> letters_of_records.OfSite:
    """A site of a federation, as messages name it."""
    return letters_of_records.OfSite(federation.phase.challenge.title, label_of(federation.phase), name)
