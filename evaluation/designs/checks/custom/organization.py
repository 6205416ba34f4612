"""People, addresses, awards."""

import re

from evaluation.designs.checks.registry import Subject, register
from evaluation.designs.document import is_email

_FIXED = re.compile(
    r"@sha256:|\bdoi\.org/|/(tag|tags|releases|commit|commits)/|[?&]ref=|/[0-9a-f]{7,40}(/|$|\?)"
    r"|[/@:=_-]v?\d+\.\d+(\.\d+)*(/|$|\?|\.zip|\.tar)",
    re.IGNORECASE,
)
_SHARED_RANKS = ("standard_competition", "modified_competition", "dense", "fractional")


@register("valid_email", reads=("contact_person",))
def valid_email(subject: Subject) -> str | None:
    person = subject.values.get("contact_person")
    address = person.get("email", "") if isinstance(person, dict) else ""
    if is_email(address):
        return None
    return f"“{address}” is no e-mail address." if address else ""


@register("contact_in_team", reads=("contact_person", "organizing_team"))
def contact_in_team(subject: Subject) -> str | None:
    person = subject.values.get("contact_person")
    name = person.get("name", "") if isinstance(person, dict) else ""
    team = [row.get("name", "") for row in subject.values.rows("organizing_team")]
    if not name or name.casefold() in {member.casefold() for member in team}:
        return None
    return f"{name} is not in the list of organizers."


@register("versioned_url", reads=("evaluation_code_url",))
def versioned_url(subject: Subject) -> str | None:
    url = subject.values.text("evaluation_code_url")
    return None if not url or _FIXED.search(url) else "The address may show another state tomorrow."


@register("award_ties", reads=("award_policy", "tie_handling"))
def award_ties(subject: Subject) -> str | None:
    policy = subject.values.text("award_policy")
    if not policy or subject.values.get("tie_handling") not in _SHARED_RANKS:
        return None
    if re.search(r"\b(no|without) (awards?|prizes?)\b|\bnone\b", policy, re.IGNORECASE):
        return None
    match = re.search(r"\b(tie[sd]?|shared?|equal|same rank|split|divided|draw)\b", policy, re.IGNORECASE)
    return None if match else "Ranks can be shared; the award policy does not say who then gets the prize."


@register("participation_policy_applied", reads=("organizer_relation", "organizer_participation_policy"))
def participation_policy_applied(subject: Subject) -> str | None:
    relation = subject.values.get("organizer_relation")
    policy = subject.values.get("organizer_participation_policy")
    if relation in (None, "none") or policy is None:
        return None
    if relation == "label_access":
        return "Who could see the test labels cannot be ranked."
    return "Members of the organizers' institutes may not take part." if policy == "not_allowed" else None


@register("level_allowed", reads=("interaction_level", "interaction_level_policy"))
def level_allowed(subject: Subject) -> str | None:
    level, allowed = subject.values.get("interaction_level"), subject.values.get("interaction_level_policy")
    if level is None or not isinstance(allowed, list) or level in allowed:
        return None
    return f"Allowed: {', '.join(subject.catalogue['interaction_level_policy'].label_of(item) for item in allowed)}."


@register("extra_data_policy", reads=("additional_training_data", "training_data_policy"))
def extra_data_policy(subject: Subject) -> str | None:
    policy = subject.values.get("training_data_policy")
    covered = {
        "no_training_data": {"public", "private"},
        "challenge_data_only": set(),
        "public_data_allowed": {"public"},
        "public_pretrained_only": set(),
        "private_data_allowed": {"public", "private"},
    }
    if not isinstance(policy, str):
        return None
    refused = [
        row.get("name", "unnamed data")
        for row in subject.values.rows("additional_training_data")
        if row.get("access") not in covered[policy]
        and not (
            policy == "public_pretrained_only" and re.search(r"pre-?train", str(row.get("purpose", "")), re.IGNORECASE)
        )
    ]
    return f"Not covered: {', '.join(refused)}." if refused else None
