"""Checks of a registered design that need the challenge which runs it: its teams, its people, what it executes."""

from typing import Final

from django.db.models import QuerySet
from django.db.models.functions import Lower

from challenges.models import Challenge, Concern, Deviation, Member, Phase, Team
from challenges.queries.deviations import deviations
from challenges.queries.projections import registered_document
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks import Subject, register
from evaluation.designs.compilation import compile_values

# How a team of an organizer's institute may stand under each policy; under others it may stand as any team.
ACCEPTED: Final = {
    # A baseline does not take part.
    "not_allowed": (Team.Standing.BASELINE, Team.Standing.DISQUALIFIED),
    "allowed_unranked": Team.OUTSIDE,
    "allowed_separate_listing": Team.OUTSIDE,
    "allowed_ranked_no_award": (Team.Standing.NO_AWARD, *Team.OUTSIDE),
}

# Which parameter a deviation concerns where it names none.
DEVIATES_IN: Final = {
    "unregistered": "ranking_method",
    "superseded": "ranking_method",
    "schedule": "challenge_schedule",
    "approved": "ranking_method",
}


def challenge_of(subject: Subject) -> Challenge | None:
    """The challenge that is run from the design; ``None`` before it is launched."""
    if subject.design is None:
        return None
    return (
        Challenge.objects.select_related("projection__version")
        .filter(projection__registration__design=subject.design)
        .first()
    )


@register("organizer_entries_treated", reads=("organizing_team", "organizer_participation_policy"))
def organizer_entries_treated(subject: Subject) -> str | None:
    """Check that teams of organizers' institutes have the standing that the registered policy requires."""
    challenge, policy = challenge_of(subject), subject.values.get("organizer_participation_policy")
    if challenge is None or policy not in ACCEPTED:
        return None
    teams = _suspected(challenge, Concern.Kind.ORGANIZER).exclude(standing__in=ACCEPTED[policy])
    return _named(teams, "the policy is not applied to")


@register("no_label_access_participants", reads=("test_label_access", "organizer_participation_policy"))
def no_label_access_participants(subject: Subject) -> str | None:
    """Check that teams with access to the test labels are not ranked."""
    challenge = challenge_of(subject)
    if challenge is None:
        return None
    ranked = _suspected(challenge, Concern.Kind.LABELS).exclude(standing__in=Team.OUTSIDE)
    return _named(ranked, "with access to test labels, and ranked:")


@register("label_access_log", reads=("test_label_access",))
def label_access_log(subject: Subject) -> str | None:
    """Check that the list of label access contains every organizer.

    All organizers of the challenge can open its references.
    """
    challenge = challenge_of(subject)
    if challenge is None:
        return None
    listed = " ".join(
        f"{row.get('who', '')} {row.get('affiliation', '')}" for row in subject.values.rows("test_label_access")
    ).casefold()
    absent = [
        user.display_name
        for user in challenge.organizers.order_by("pk")
        if user.display_name.casefold() not in listed
        and not (user.affiliation and user.affiliation.casefold() in listed)
    ]
    return f"Not on the list, though they can open the test references: {', '.join(absent)}." if absent else None


@register("ranking_config_hash", reads=("ranking_method", "metrics", "tie_handling", "missing_data_handling"))
def ranking_config_hash(subject: Subject) -> str | None:
    """Check that the executed assessment has the registered digest, or that the deviation is recorded."""
    challenge = challenge_of(subject)
    if challenge is None or subject.values.task_key is None:
        return None
    registered = registered_document(challenge.projection.version)
    if subject.values.task_key not in registered.tasks:
        return None
    compiled = compile_values(registered.values(subject.values.task_key)).assessment
    if compiled is None:
        return "The registered version cannot be executed."
    differing = [
        phase
        for phase in Phase.objects.filter(task__challenge=challenge, task__design_key=subject.values.task_key)
        if phase.assessment_digest != compiled.digest
        and not Deviation.objects.filter(phase=phase, executed_digest=phase.assessment_digest).exists()
    ]
    return f"Another scheme is executed in {', '.join(phase.name for phase in differing)}." if differing else None


@register("deviations_explained", reads=("design_deviations",))
def deviations_explained(subject: Subject) -> str | None:
    """Check that the report explains every detected deviation.

    These are the deviations from the registration that the platform detected. Each needs a reason.
    """
    challenge = challenge_of(subject)
    if challenge is None:
        return None
    rows = subject.values.rows("design_deviations")
    explained = {str(row.get("parameter", "")).strip().casefold() for row in rows if str(row.get("reason", "")).strip()}
    identities = {parameter.label: parameter.id for parameter in shipped().parameters.values()}
    missing: dict[str, None] = {}
    for phase in Phase.objects.filter(task__challenge=challenge).select_related("task__challenge__projection"):
        for deviation in deviations(phase):
            for label in deviation.parameters or (shipped()[DEVIATES_IN[deviation.kind]].label,):
                if not explained & {label.casefold(), identities.get(label, "").casefold()}:
                    missing[f"“{label}” ({phase.name})"] = None
    return f"Without an entry that gives the reason: {', '.join(missing)}." if missing else None


@register("unique_team", reads=("team_identifier",))
def unique_team(subject: Subject) -> str | None:
    """Check that a name refers to one team of the challenge."""
    challenge, name = challenge_of(subject), subject.values.text("team_identifier").strip()
    if challenge is None or not name:
        return None
    same = Team.objects.filter(challenge=challenge, name__iexact=name).count()
    return f"{same} teams of the challenge are called {name}." if same > 1 else None


@register("no_shared_members", reads=("team_identifier", "team_members"))
def no_shared_members(subject: Subject) -> str | None:
    """A person of the description belongs to no other team; accounts are held apart by the database already."""
    challenge = challenge_of(subject)
    emails = {str(row["email"]).casefold() for row in subject.values.rows("team_members") if row.get("email")}
    if challenge is None or not emails:
        return None
    others = (
        Member.objects.filter(challenge=challenge)
        .exclude(team__name__iexact=subject.values.text("team_identifier").strip())
        .annotate(address=Lower("user__email"))
        .filter(address__in=emails)
        .select_related("team")
    )
    teams = sorted({member.team.name for member in others})
    return f"Members also belong to {', '.join(teams)}." if teams else None


def _suspected(challenge: Challenge, kind: str) -> QuerySet[Team]:
    """Teams with a concern of a kind that the organizers did not dismiss."""
    concerns = Concern.objects.filter(challenge=challenge, kind=kind).exclude(state=Concern.State.DISMISSED)
    members = Member.objects.filter(challenge=challenge, user__in=concerns.values("user")).values("team")
    return Team.objects.filter(challenge=challenge).filter(pk__in=members) | Team.objects.filter(
        challenge=challenge, pk__in=concerns.values("team")
    )


def _named(teams: QuerySet[Team], words: str) -> str | None:
    names = sorted(set(teams.values_list("name", flat=True)))
    return f"{words[0].upper()}{words[1:]} {', '.join(names)}." if names else None
