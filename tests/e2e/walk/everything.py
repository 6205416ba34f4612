"""One object of every type that a page can show, created in a running installation through the services.

`places` returns the address of each named page and its viewer: the role that sees most of it. Nothing here waits for
a worker. Results of workers (rankings, reports) come from the example or are requested by the test.
"""

import tempfile
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from allauth.account.internal.flows import login
from allauth.account.internal.userkit import user_id_to_str
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.conversations.services import start_thread
from accounts.notifications.services.composing import unsubscribe_token
from accounts.people.models import Invitation
from accounts.people.queries import digest_of
from challenges.models import Challenge, Phase, Task
from challenges.services import close_phase, create_challenge, create_phase, information, join_with_team, launch
from challenges.services.talking import announce, contact_organizers
from challenges.webhooks.models import Delivery
from challenges.webhooks.services import configuring
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.case_reports import report_case
from designs.models import Collaborator, Design, Simulation
from executions.models import Batch, Execution
from federation.services import federations
from leaderboards.models import RankingVersion
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.services.tables import bring_table
from registry.changes.services import request_change
from reports.exposure.queries.facts import Audience
from reports.models import Report
from reports.services.reports import request_report
from reviews.models import Call, Filing
from submissions.measurements.models import Measurement
from submissions.measurements.services.tables import bring_table as bring_values
from submissions.models import Submission
from submissions.services.methods import describe
from tests.integration.challenges import world as designs
from tests.integration.changes import world as registered
from tests.integration.drift.world import check_text
from tests.integration.executions.world import PLAN, Algorithms, add_phase
from tests.integration.federation import world as sites
from tests.integration.federation.sender import Sender
from tests.integration.judging.world import SCORED
from tests.integration.measurements import outside
from tests.integration.submissions import test_instances as instances
from tests.integration.submissions.world import World as Handed
from tests.integration.submissions.world import zipped

User = get_user_model()
PASSWORD = "a-long-password"
EXAMPLE = "hippocampus"
FINAL = {"slug": EXAMPLE, "key": "final"}
TABLE = "algorithm,case,dice\n" + "".join(
    f"{name},c{case:02d},{0.7 + 0.02 * place + case % 5 / 100:.3f}\n"
    for place, name in enumerate(("yew", "oak", "elm"))
    for case in range(12)
)
Place = tuple[str, str]


def places() -> dict[str, Place]:
    """Return the viewer and the address of each page, and create the shown objects that do not exist yet."""
    found: dict[str, Place] = {}
    parts = (accounts, the_site, own_designs, the_call, the_registry, example, algorithms, over_sites, brought)
    for part in (*parts, scoring_image):
        for name, who, arguments in part():
            path, _, query = name.partition("?")
            found[path] = (who, reverse(path, kwargs=arguments) + (f"?{query}" if query else ""))
    return found


def cookie(username: str) -> tuple[str, str]:
    """Name and value of that cookie."""
    return settings.SESSION_COOKIE_NAME, session(username)


def session(username: str) -> str:
    """Return the session cookie of a person who has just signed in with a password."""
    client = Client()
    if not username:
        return ""
    if username == "half-way":
        client.post("/accounts/login/", {"login": "guarded", "password": PASSWORD}, headers={"host": "localhost"})
    else:
        user = person(username) if username in ("stranger", "staff") else User.objects.get(username=username)
        if username == "staff":
            User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
        client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[-1])
        stored = client.session
        # `mfa_reauthenticate` is for who has a second factor and signed in a while ago.
        ago = 3600 if username == "guarded-before" else 0
        password = {"method": "password", "at": time.time() - ago, "reauthenticated": True}
        stored[login.AUTHENTICATION_METHODS_SESSION_KEY] = [password]
        stored[login._AUTHENTICATION_METHODS_USER_SESSION_KEY] = user_id_to_str(user)
        stored.save()
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def person(name: str) -> Any:
    user, made = User.objects.get_or_create(username=name, defaults={"email": f"{name}@example.org"})
    if made:
        user.set_password(PASSWORD)
        user.save()
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def accounts() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name in ("guarded", "guarded-before"):
        user = person(name)
        TOTP.activate(user, generate_totp_secret())
        RecoveryCodes.activate(user)
    key = {"key": "no-such-key"}
    for name in ("account_login", "account_signup", "account_inactive", "account_email_verification_sent"):
        yield name, "", {}
    for name in ("account_reset_password", "account_reset_password_done", "account_reset_password_from_key_done"):
        yield name, "", {}
    yield "account_confirm_email", "", key
    yield "account_reset_password_from_key", "", {"uidb36": "1", "key": "no-such-key"}
    for name in ("account_logout", "account_reauthenticate", "account_email", "account_change_password"):
        yield name, "paula", {}
    for name in ("profile", "own_data", "close", "tokens"):
        yield f"accounts:{name}", "paula", {}
    yield "mfa_authenticate", "half-way", {}
    yield "mfa_reauthenticate", "guarded-before", {}
    yield "mfa_activate_totp", "paula", {}
    for name in ("mfa_index", "mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"):
        yield name, "guarded", {}


def the_site() -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield "web:home", "paula", {}
    for name in ("about", "client", "help", "privacy", "imprint", "licences"):
        yield f"web:{name}", "", {}
    yield "web:help_page", "", {"name": "leaderboards"}
    for name in ("inbox", "preferences"):
        yield f"notifications:{name}", "olivia", {}
    yield "notifications:sent_mails", "", {}
    yield "operations:operate", "admin", {}
    token = unsubscribe_token(kind="submission_scored", user_id=person("paula").pk)
    yield "notifications:unsubscribe", "", {"token": token}


def own_designs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    olivia = User.objects.get(username="olivia")
    design = Design.objects.filter(collaborators__user=olivia, registration=None).order_by("pk").first()
    task = design.tasks.filter(removed_at=None).first()
    Simulation.objects.get_or_create(task=task, defaults={"assessment": {}, "options": {}, "requested_by": olivia})
    here, of_task = {"slug": design.slug}, {"slug": design.slug, "task": task.key}
    for name in ("list", "start", "import"):
        yield f"designs:{name}", "olivia", {}
    for name in ("detail", "checks", "advice", "assessment", "rehearsal", "versions", "compare", "people"):
        yield f"designs:{name}", "olivia", here
    yield "designs:section", "olivia", {**here, "key": "challenge_organization"}
    yield "designs:task_section", "olivia", {**of_task, "key": "assessment_method"}
    yield "designs:task_advice", "olivia", of_task
    yield "designs:simulation", "olivia", of_task
    yield "designs:sample", "olivia", of_task
    yield "designs:accept", "paula", {"token": invited("paula", design, Collaborator.Role.EDITOR, olivia)}


def invited(username: str, target: Any, role: str, actor: Any) -> str:
    """The token of an invitation."""
    user, token = User.objects.get(username=username), uuid.uuid4().hex
    Invitation.objects.create(
        target=target,
        email=user.email,
        role=role,
        token_digest=digest_of(token),
        invited_by=actor,
        expires_at=timezone.now() + timezone.timedelta(days=9),
    )
    return token


def the_call() -> Iterator[tuple[str, str, dict[str, Any]]]:
    call = Call.objects.order_by("pk").first()
    here = {"slug": call.slug}
    chair = call.chairs.first().user
    yield "reviews:calls", "rita", {}
    yield "reviews:create", chair.username, {}
    yield "reviews:mine", "rita", {}
    token = invited("paula", call, "general", chair)
    yield "reviews:invitation", "paula", {"token": token}
    yield "webhooks:call", chair.username, here
    for name in ("call", "settings", "questions", "mails", "people", "assignments", "letters", "remind", "matrix"):
        yield f"reviews:{name}", chair.username, here
    yield "reviews:question", chair.username, {**here, "pk": call.questions.first().pk}
    yield "reviews:mail", chair.username, {**here, "kind": "reject"}
    reviewer = call.reviewers.get(user__username="rita")
    yield "reviews:reviewer", chair.username, {**here, "pk": reviewer.pk}
    yield "reviews:bids", "rita", here
    yield "reviews:file", "olivia", here
    rated, revised = (
        {**here, "number": call.filings.filter(state=state).first().number}
        for state in (Filing.State.UNDER_REVIEW, Filing.State.REVISION_REQUIRED)
    )
    for name in ("filing", "changes", "points", "rehearsal", "decide?outcome=reject"):
        yield f"reviews:{name}", chair.username, rated
    yield "reviews:revision", "olivia", revised
    for name in ("review", "verdict"):
        yield f"reviews:{name}", "rita", rated
    yield "reviews:review_section", "rita", {**rated, "key": "mission"}


def the_registry() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A registration with a call, a challenge, a change that waits, a comparison with a web page, a design to come."""
    world = registered.build(slug="every-page", challenge={"challenge_name": "A walk over every page"})
    world.draft("tie_handling", "dense")
    request_change(actor=world.organizer, registration=world.registration, wanted=[registered.wanted("tie_handling")])
    check = check_text(
        actor=world.organizer, registration=world.registration, title="Web page", text="Hippocampus. " * 9
    )
    here = {"identifier": world.registration.identifier}
    chair, organizer = world.chair.username, world.organizer.username
    for name in ("list", "statistics", "integrity"):
        yield f"registry:{name}", "", {}
    for name in ("detail", "versions", "compare", "comments", "end"):
        yield f"registry:{name}", organizer, here
    yield "registry:version", "", {**here, "number": "1.0"}
    yield "changes:list", chair, here
    yield "changes:new", organizer, here
    yield "changes:detail", chair, {**here, "number": 1}
    phase = Phase.objects.get(task__challenge=world.challenge, slug="final")
    yield "challenges:move_deadline", organizer, {"slug": world.challenge.slug, "phase": phase.pk}
    yield "drift:list", organizer, here
    yield "drift:detail", organizer, {**here, "pk": check.pk}
    # Other walks have accepted designs of their own in this installation.
    accepted = Filing.objects.filter(state=Filing.State.ACCEPTED, design__registration=None)
    own = accepted.filter(design__collaborators__user__username="olivia").first() or accepted.first()
    if own is not None:
        owner = own.design.collaborators.filter(role="owner").first() or own.design.collaborators.first()
        yield "registry:register", owner.user.username, {"design": own.design.slug}
    waiting = designs.registered(slug="every-launch")
    yield "challenges:launch", waiting.owner.username, {"identifier": waiting.registration.identifier}


def example() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The example challenge: a team's pages as a member, all others as the organizer."""
    challenge = Challenge.objects.get(slug=EXAMPLE)
    olivia, paula = (User.objects.get(username=name) for name in ("olivia", "paula"))
    phase = Phase.objects.get(task__challenge=challenge, slug="final")
    here = {"slug": EXAMPLE}
    announce(actor=olivia, challenge=challenge, title="Every page", text="Somebody walks over all of them.")
    thread = start_thread(actor=olivia, target=challenge, title="Every page", text="Who walks?")
    case = phase.test_sets.get(is_active=True).cases.order_by("name").first().name
    report_case(user=paula, phase=phase, case=case, category="reference", text="Slice 12 looks moved.")
    scored = Submission.objects.filter(phase=phase, state=Submission.State.SCORED).first()
    describe(actor=scored.user, submission=scored, entries={})
    yield "challenges:list", "olivia", {}
    for name in ("detail", "organize", "news", "discussion", "people", "announce"):
        yield f"challenges:{name}", "olivia", here
    yield "challenges:thread", "olivia", {**here, "pk": thread.pk}
    yield "challenges:join", "rita", here
    contact = contact_organizers(actor=paula, challenge=challenge, title="Every page", text="Who reads this?")
    yield "challenges:contact", "paula", here
    yield "challenges:contact_thread", "paula", {**here, "pk": contact.pk}
    yield "challenges:contacts", "olivia", here
    yield "challenges:team", "paula", here
    team = challenge.teams.get(members__user=paula)
    yield "challenges:invitation", "clara", {**here, "secret": invited("clara", team, "member", paula)}
    yield "datasets:data", "olivia", here
    yield "test_sets:case_reports", "olivia", here
    yield "test_sets:test_sets", "olivia", here
    for name in ("submit", "own"):
        yield f"submissions:{name}", "paula", here
    for name in ("monitor", "work", "organize"):
        yield f"results:{name}", "olivia", here
    yield "results:organized_case", "olivia", {**here, "case": case}
    for name in ("current", "embed", "history"):
        yield f"leaderboards:{name}", "olivia", FINAL
    yield "leaderboards:suspects", "olivia", FINAL
    yield "leaderboards:version", "olivia", {**FINAL, "number": 1}
    yield "reports:index", "", here
    yield "reports:exposure", "olivia", here
    yield "reports:desk", "olivia", here
    yield "reports:item", "olivia", {**here, "item": "1"}
    yield "reports:team", "paula", FINAL
    report = request_report(actor=olivia, challenge=challenge, audience=Audience.ORGANIZERS)
    version = {**here, "number": report.number}
    yield "reports:report", "olivia", version
    yield "reports:paper", "olivia", version
    yield "reports:chapter", "olivia", {**version, "key": "results"}


def algorithms() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Create a challenge of two tasks to which algorithms are submitted; one algorithm was run."""
    olivia, paula = person("olivia"), person("paula")
    challenge = create_challenge(
        actor=olivia, organizers=[olivia], slug="every-run", title="Runs", summary="Find blocks.", is_public=True
    )
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(("blocks", "more-blocks")):
            task = Task.objects.create(challenge=challenge, slug=name, name=name.capitalize())
            phase = add_phase(olivia, task, Path(folder) / name, "first", cases=("a", "b", "c", "d")[: 4 - number])
    phase = Phase.objects.get(task__challenge=challenge, task__slug="blocks")
    team = join_with_team(user=paula, challenge=challenge, team_name="Walkers")
    world = Algorithms(challenge, phase, phase.test_sets.get(), olivia, paula, paula, team, team)
    execution = Execution.objects.create(
        subject=uuid.uuid4(),
        phase=phase,
        team=team,
        user=paula,
        test_set=world.test_set,
        image=world.image(),
        plan=PLAN,
        key="k",
        state=Execution.State.FAILED,
        reason="No case has a prediction.",
        cases_total=4,
        finished_at=timezone.now(),
    )
    Batch.objects.create(execution=execution, index=0, cases=["a"], state=Batch.State.DONE, log_bytes=10, log_lines=1)
    here = {"slug": challenge.slug, "pk": execution.pk}
    yield "executions:execution", "olivia", here
    yield "executions:log", "olivia", {**here, "index": 0}
    yield "runners:challenge", "olivia", {"slug": challenge.slug}
    information.create_page(actor=olivia, challenge=challenge, title="FAQ", text="**When?** Now.", position=1)
    information.create_page(actor=olivia, challenge=challenge, title="Prizes", text="None.", position=2)
    yield "challenges:access", "olivia", {"slug": challenge.slug}
    yield "challenges:pages", "olivia", {"slug": challenge.slug}
    yield "challenges:pictures", "olivia", {"slug": challenge.slug}
    yield "challenges:information_page", "olivia", {"slug": challenge.slug, "page": "faq"}
    yield "challenges:edit_page", "olivia", {"slug": challenge.slug, "page": "faq"}
    yield "webhooks:challenge", "olivia", {"slug": challenge.slug}
    webhook, _ = configuring.create(
        actor=olivia,
        owner=challenge,
        name="Channel",
        address="https://hooks.example.org/",
        body_format="chat",
        events=["submission.failed", "case.reported"],
    )
    Delivery.objects.create(webhook=webhook, event="case.reported", body="{}", state="failed", failure="status 500")
    yield "webhooks:detail", "olivia", {"pk": webhook.pk}
    yield "runners:installation", "admin", {}
    yield "leaderboards:tasks", "olivia", {"slug": challenge.slug, "key": "blocks.first"}
    yield from handed_in(Handed(challenge, phase, world.test_set, olivia, paula, paula, team, team))


def handed_in(world: Handed) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Two submissions of a team to a phase that shows single cases, of images whose objects have classes."""
    world.phase = instances.add_phase(world, instances.CLASSED)
    drawn = {f"references/{case}.png": instances.png(instances.cells()) for case in instances.CASES}
    with tempfile.TemporaryDirectory() as folder:
        sealed = Path(folder) / "sealed.zip"
        sealed.write_bytes(zipped({**drawn, "references/instances.csv": instances.instances(scored=False)}))
        world.test_set = take_archive(phase=world.phase, path=sealed, actor=world.organizer)
    before, after = (
        world.upload(
            zipped(
                {
                    # Identical predictions for all cases would be held.
                    **{
                        f"{case}.png": instances.png(instances.cells(shift + number))
                        for number, case in enumerate(instances.CASES)
                    },
                    "instances.csv": instances.instances(),
                }
            )
        )
        for shift in (1, 0)
    )
    describe(actor=world.ada, submission=after, entries={})
    here = {"slug": world.challenge.slug}
    # Other walks close the phases of the example challenge.
    yield "challenges:close_phase", "olivia", {**here, "phase": world.phase.pk}
    own = {**here, "pk": after.pk}
    for name in ("detail", "describe", "method"):
        yield f"submissions:{name}", "paula", own
    yield "results:history", "paula", here
    yield f"results:compare?before={before.pk}&after={after.pk}", "paula", here
    yield "results:case", "paula", {**own, "case": instances.CASES[0]}
    yield "leaderboards:objects", "olivia", {**here, "key": "blocks.cells", "number": 1}


def is_quiet() -> bool:
    """Return whether the workers have finished everything requested here."""
    return (
        not Report.objects.filter(state__in=(Report.State.QUEUED, Report.State.WORKING)).exists()
        and not BroughtTable.objects.filter(state__in=BroughtTable.OPEN).exists()
        and not Measurement.objects.filter(state=Measurement.State.READING).exists()
        and RankingVersion.objects.filter(phase__slug="cells").exists()
        and not Submission.objects.filter(phase__slug="cells").exclude(state=Submission.State.SCORED).exists()
    )


def over_sites() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A phase that three sites evaluated, ranked over their sums."""
    centre = sites.build(algorithms=("a", "b", "c"))
    federations.release_package(actor=centre.organizer, federation=centre.federation)
    for seed, name in enumerate(("north", "south", "west")):
        Sender(centre, name, 20, seed).sent()
    close_phase(actor=centre.organizer, phase=centre.phase)
    here = {"slug": centre.challenge.slug}
    board = {**here, "key": centre.phase.slug}
    who = centre.organizer.username
    yield "federation:sites", "", here
    yield "federation:invitation", "", {**here, "code": centre.codes["north"]}
    yield "federation:organize", who, here
    yield "leaderboards:sites", who, board
    yield "leaderboards:version_sites", who, {**board, "number": 1}


def brought() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Create tables of values: one for a phase with external measurements, one for private use by a participant."""
    made = designs.registered(outside.OPEN, slug="every-value", **outside.STITCHING)
    challenge = launch(actor=made.owner, registration=made.registration, slug="every-value")
    phase = Phase.objects.get(task__challenge=challenge, slug="final")
    listed = bring_values(
        actor=made.owner,
        phase=phase,
        file_name="cases.csv",
        content=outside.CASES.encode(),
        kind=Measurement.Kind.CASES,
    )
    here = {"slug": challenge.slug}
    yield "measurements:tables", made.owner.username, here
    yield "measurements:table", made.owner.username, {**here, "pk": listed.pk}
    paula = User.objects.get(username="paula")
    table = bring_table(actor=paula, title="Every page", file_name="results.csv", content=TABLE.encode())
    yield "workbench:list", "paula", {}
    yield "workbench:table", "paula", {"key": table.key}


def scoring_image() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A phase with a metric that an image of the organizers computes, none of which was sent yet."""
    organizer = person("every-scorer")
    challenge = create_challenge(
        actor=organizer, organizers=[organizer], slug="every-scorer", title="An image that scores"
    )
    task = Task.objects.create(challenge=challenge, slug="blocks", name="Blocks")
    create_phase(
        actor=organizer,
        task=task,
        assessment=SCORED,
        slug="first",
        name="First",
        opens_at=timezone.now(),
        closes_at=timezone.now() + timedelta(days=9),
        results=Phase.Results.CASES,
        leaderboard=Phase.Leaderboard.PUBLIC,
    )
    yield "judging:scorers", organizer.username, {"slug": challenge.slug}
