"""Meanings of messages about acts, read from their text and compared with the facts of the act."""

import re
from typing import Any

from tests.claims import act_predicates_of_people  # noqa: F401 (their meanings are registered on import)
from tests.claims.act_meanings import DAY, MEANINGS, MOMENT, at, means, on


def false_paragraphs(letter: Any, facts: Any) -> list[str]:
    """Return the subject and paragraphs that are false for an act, and those without a registered meaning."""
    wrong = [] if "\n" not in letter.subject else ["a subject of several lines"]
    return wrong + MEANINGS.false([f"Subject: {letter.subject}", *letter.text.split("\n\n")], facts)


def where(facts: Any, challenge: str, phase: str | None = None) -> bool:
    return facts.where.challenge == challenge and phase in (None, facts.where.phase)


# Subjects


@means(
    r"Subject: (.+): submission (\d+) of (.+) (is scored|is refused|waits for your decision|could not be scored(?: again)?)"
)
def _(facts: Any, challenge: str, number: str, team: str, what: str) -> bool:
    again = what.endswith("again") == facts.again
    return where(facts, challenge) and (int(number), team) == (facts.number, facts.team) and again


@means(r"Subject: (.+): a submission of (.+) could not be scored")
def _(facts: Any, challenge: str, team: str) -> bool:
    return where(facts, challenge) and team == facts.team


@means(r"Subject: (.+): ([\d.]+ h) of ([\d.]+ h) of compute time are used")
def _(facts: Any, challenge: str, used: str, allowed: str) -> bool:
    return (challenge, used, allowed) == (facts.challenge, facts.used, facts.allowed)


@means(r"Algorithms of all teams in (.+) of (.+) have used ([\d.]+ h) of the ([\d.]+ h) that are registered\.")
def _(facts: Any, task: str, challenge: str, used: str, allowed: str) -> bool:
    return (task, challenge, used, allowed) == (facts.task, facts.challenge, facts.used, facts.allowed)


@means(r"After that, no new runs start\. Running jobs finish\.")
def _(facts: Any) -> bool:
    return not facts.is_spent


@means(r"No new runs start\. Running jobs finish, and queued ones wait\. You can request more with a change request\.")
def _(facts: Any) -> bool:
    return bool(facts.is_spent)


@means(r"Subject: (.+): (\d+) runs? cannot begin")
def _(facts: Any, challenge: str, number: str) -> bool:
    return (challenge, int(number)) == (facts.challenge, facts.number)


@means(r"(\d+) runs? of algorithms in (.+) of (.+) cannot begin\. (.+)")
def _(facts: Any, number: str, phase: str, challenge: str, reason: str) -> bool:
    return (int(number), phase, challenge, reason) == (facts.number, facts.phase, facts.challenge, facts.reason)


@means(
    r"Start a machine that can run them, or add a runner\. The page below lists all runners and their state\.",
)
def _(facts: Any) -> bool:
    return bool(facts.reason)


@means(r"Subject: (.+): the webhook (.+) is off")
def _(facts: Any, title: str, name: str) -> bool:
    return (title, name) == (facts.title, facts.name)


@means(r"Podium switched off the webhook (.+) of (.+?)\. (.+)")
def _(facts: Any, name: str, title: str, reason: str) -> bool:
    return (name, title, reason) == (facts.name, facts.title, facts.reason)


@means(
    r"Check the receiving program\. Then switch the webhook on and send the failed messages again on the page below\.",
)
def _(facts: Any) -> bool:
    return bool(facts.reason)


@means(r"Subject: (.+): describe the method of (.+)")
def _(facts: Any, challenge: str, team: str) -> bool:
    return where(facts, challenge) and team == facts.team


@means(rf"Subject: (.+): (?:the final ranking of )?(Final|Round 2) (?:is open|is closed|is public|closes {MOMENT})")
def _(facts: Any, challenge: str, phase: str, ends: str | None) -> bool:
    return where(facts, challenge, phase) and (ends is None or at(ends, facts.ends))


@means(
    r"Subject: (.+): (?:a change of|the requested change of|an objection to a change of) (\S+)(?: is (?:requested|withdrawn))?"
)
def _(facts: Any, title: str, identifier: str) -> bool:
    return (facts.title, facts.identifier) == (title, identifier)


@means(r"Subject: (.+): (no change of (\S+)|(\S+) has changed)")
def _(facts: Any, title: str, _what: str, none: str | None, changed: str | None) -> bool:
    return (
        facts.title == title and (none or changed) == facts.identifier and (changed is None) == (facts.version is None)
    )


@means(r"Subject: (.+): you are (?:no longer in|the captain of) the team (.+?)(?: now)?")
def _(facts: Any, challenge: str, team: str) -> bool:
    return (facts.challenge, facts.team) == (challenge, team)


@means(r"Subject: (.+): (.+) (is now in|does not join) the team (.+)")
def _(facts: Any, challenge: str, who: str, what: str, team: str) -> bool:
    told = (challenge, who, team) == (facts.challenge, facts.actor, facts.team)
    return told and (what == "is now in") == facts.agreed


@means(r"Subject: (.+): the team (.+) is now “(.+)”")
def _(facts: Any, challenge: str, team: str, standing: str) -> bool:
    return (challenge, team, standing) == (facts.challenge, facts.team, facts.standing)


@means(r"Subject: (.+): (.+) asks to take part")
def _(facts: Any, challenge: str, who: str) -> bool:
    return (challenge, who) == (facts.challenge, facts.actor)


@means(r"Subject: (.+): (you may take part|your request was declined)")
def _(facts: Any, challenge: str, what: str) -> bool:
    return facts.challenge == challenge and facts.agreed == (what == "you may take part")


@means(r"Subject: (.+): you organize it as (\w+)")
def _(facts: Any, challenge: str, role: str) -> bool:
    return (challenge, role) == (facts.challenge, facts.role)


@means(r"Subject: (.+): (?:registered as|a comment on|your comment on) (\S+)(?: is answered)?")
def _(facts: Any, title: str, identifier: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier)


@means(r"Subject: (.+): (\S+) (?:is (withdrawn|abandoned)|has no report)")
def _(facts: Any, title: str, identifier: str, state: str | None) -> bool:
    return (title, identifier) == (facts.title, facts.identifier) and state in (None, facts.state)


@means(rf"Subject: (?:“(.+)” is not registered|Register “(.+)” by {DAY})")
def _(facts: Any, missed: str | None, title: str | None, day: str | None) -> bool:
    return (
        (missed or title) == facts.title
        and (missed is not None) == facts.is_over
        and (day is None or on(day, facts.due))
    )


@means(rf"Subject: (.+): critical changes until {DAY}")
def _(facts: Any, title: str, day: str) -> bool:
    return title == facts.title and on(day, facts.due)


@means(r"Subject: (.+): version (\d+) of “(.+)” was filed")
def _(facts: Any, call: str, number: str, title: str) -> bool:
    return (call, int(number), title) == (facts.call, facts.number, facts.title)


@means(r"Subject: (.+): new comment on “(.+)”")
def _(facts: Any, call: str, title: str) -> bool:
    return (call, title) == (facts.call, facts.title)


@means(r"Subject: (.+): (?:site (.+) registered its key|messages of a site were refused)")
def _(facts: Any, challenge: str, site: str | None) -> bool:
    return challenge == facts.challenge and site in (None, facts.name)


@means(r"Subject: (.+): (case-\d): (?:your report is )?(.+)")
def _(facts: Any, challenge: str, case: str, what: str) -> bool:
    return (challenge, case, what) == (facts.challenge, facts.case, facts.what)


@means(r"Subject: (Re: )?(.+): (Orientation)")
def _(facts: Any, reply: str | None, about: str, thread: str) -> bool:
    return (about, thread) == (facts.about, facts.thread) and not (reply and facts.is_first)


@means(r"Subject: (.+): private message “(.+)”")
def _(facts: Any, about: str, thread: str) -> bool:
    return facts.is_first and (about, thread) == (facts.about, facts.thread)


# Submissions


@means(r"Submission (\d+) of (.+) to (Final|Round 2) of (.+?) (is scored|could not be scored(?: again)?)\.")
def _(facts: Any, number: str, team: str, phase: str, challenge: str, what: str) -> bool:
    told = where(facts, challenge, phase) and (int(number), team) == (facts.number, facts.team)
    return told and what.endswith("again") == facts.again


@means(r"Submission (\d+) of (.+) to (Final|Round 2) of (.+?) is (?:refused|not scored yet): (.+)\.")
def _(facts: Any, number: str, team: str, phase: str, challenge: str, reason: str) -> bool:
    told = where(facts, challenge, phase) and (int(number), team) == (facts.number, facts.team)
    return told and reason == facts.reason


@means(r"See the submission page for your results\. The ranking is sealed, so no team can see a rank yet\.")
def _(facts: Any) -> bool:
    return not facts.shows_ranking and facts.stands is None


@means(
    r"See the submission page for your results( and the distance to the leader|\. If this is your counted submission, it also "
    r"shows your rank)\."
)
def _(facts: Any, how: str) -> bool:
    return facts.shows_ranking and (facts.stands is not None) == how.startswith(" and the distance")


@means(
    r"Submission (\d+) of (.+) to (Final|Round 2) of (.+?) is scored: you rank (\d+) of (\d+)(?: \((could be \d+–\d+|too few .+)\))?\."
)
def _(
    facts: Any, number: str, team: str, phase: str, challenge: str, rank: str, teams: str, could_be: str | None
) -> bool:
    told = where(facts, challenge, phase) and (int(number), team) == (facts.number, facts.team)
    stands = (facts.stands.rank, facts.stands.teams, facts.stands.could_be)
    return told and facts.shows_ranking and stands == (rank, int(teams), could_be or "")


@means(r"Subject: (.+): submission (\d+) of (.+) is scored and ranks (\d+) of (\d+)")
def _(facts: Any, challenge: str, number: str, team: str, rank: str, teams: str) -> bool:
    told = where(facts, challenge) and (int(number), team) == (facts.number, facts.team)
    return told and facts.shows_ranking and (facts.stands.rank, facts.stands.teams) == (rank, int(teams))


@means(r"(?s)(– .+)")
def listed(facts: Any, text: str) -> bool:
    """The lines of a list: reasons of a submission, moved deadlines, or changes of a design."""
    lines = text.splitlines()
    if getattr(facts, "moves", ()):
        return lines == [f"– {move}" for move in facts.moves]
    if hasattr(facts, "reasons"):
        more = [int(found[1]) for line in lines if (found := re.fullmatch(r"– and (\d+) more", line))]
        named = [line.removeprefix("– ").removesuffix(".") for line in lines if not line.startswith("– and ")]
        return named == list(facts.reasons)[: len(named)] and len(named) + sum(more) == len(facts.reasons)
    listed = facts.changes if _names(lines, facts.changes) else facts.refused
    return len(lines) == len(listed) and all(
        line.startswith(f"– {change.label}: ")
        and (f"“{change.before}”" if change.before else "nothing") in line.split(" → ")[0]
        and (change.after[:100] or "nothing") in line.split(" → ")[1]
        for line, change in zip(lines, listed, strict=True)
    )


def _names(lines: list[str], changes: Any) -> bool:
    """Return whether the first line is about the first of these changes."""
    return bool(changes) and lines[0].startswith(f"– {changes[0].label}: ")


@means(r"Nothing was scored\. Correct the files and upload them again\.")
def _(facts: Any) -> bool:
    return bool(facts.reason)


@means(r"Open its page to decide: score it as it is, or withdraw it and upload corrected files\.")
def _(facts: Any) -> bool:
    return bool(facts.reason)


@means(r"no memory\.")
def _(facts: Any) -> bool:
    return facts.reason == "no memory"


@means(
    r"Submission (\d+) of (.+) to (Final|Round 2) of (.+) could not be scored: (.+)\. It won't be retried automatically\. Open the Work page to see the log and retry\."
)
def _(facts: Any, number: str, team: str, phase: str, challenge: str, reason: str) -> bool:
    is_about_it = where(facts, challenge, phase) and (int(number), team) == (facts.number, facts.team)
    return is_about_it and reason == facts.reason


@means(
    r"The final ranking of (Final|Round 2) of (.+) (leaves|will leave) the team (.+) out as long as no submission to (.+) has a "
    r"complete method description\. Describe it on the submission page\. The form starts with your earlier description\."
)
def _(facts: Any, phase: str, challenge: str, tense: str, team: str, task: str) -> bool:
    is_about_it = where(facts, challenge, phase) and (team, task) == (facts.team, facts.task)
    return is_about_it and (tense == "leaves") == (facts.occasion == "closed")


@means(r"Missing answers: (.+)\.")
def _(facts: Any, missing: str) -> bool:
    return tuple(missing.split("; ")) == tuple(facts.facts)


@means(r"A (link to a paper or preprint) replaces them\.")
def _(facts: Any, link: str) -> bool:
    return bool(facts.facts) and facts.link == f"a {link}"


# Phases


@means(rf"(Final|Round 2) of (.+) is open\. You can submit (?:until {MOMENT}|now\. There is no deadline)\.")
def _(facts: Any, phase: str, challenge: str, ends: str | None) -> bool:
    return where(facts, challenge, phase) and (facts.ends is None if ends is None else at(ends, facts.ends))


@means(r"The challenge pages explain what to submit and how\.")
def _(facts: Any) -> bool:
    return facts.where is not None


@means(rf"(Final|Round 2) of (.+) closes {MOMENT}\.")
def _(facts: Any, phase: str, challenge: str, ends: str) -> bool:
    return where(facts, challenge, phase) and at(ends, facts.ends)


@means(r"Later submissions are not ranked\. See the challenge pages for your submissions and remaining limit\.")
def _(facts: Any) -> bool:
    return facts.ends is not None


@means(r"(Final|Round 2) of (.+) is closed\. No further submissions are ranked\.")
def _(facts: Any, phase: str, challenge: str) -> bool:
    return where(facts, challenge, phase)


@means(rf"The ranking stays sealed until {MOMENT}\.")
def _(facts: Any, reveals: str) -> bool:
    return at(reveals, facts.reveals)


@means(r"The final ranking is being computed\.")
def _(facts: Any) -> bool:
    return facts.reveals is None


@means(r"The final ranking of (Final|Round 2) of (.+) is public\.")
def _(facts: Any, phase: str, challenge: str) -> bool:
    return where(facts, challenge, phase)


@means(r"unet leads, but is not shown to be best\.")
def _(facts: Any) -> bool:
    return facts.sentence.startswith("unet leads")


@means(r"The leaderboard shows the uncertainty of each rank and how sensitive the result is\.")
def _(facts: Any) -> bool:
    return bool(facts.sentence)


# Changes of what is registered


@means(r"The organizers of (.+) ask for a (\w+) change of the registered design (\S+)\.")
def _(facts: Any, title: str, kind: str, identifier: str) -> bool:
    return (title, kind, identifier) == (facts.title, facts.kind, facts.identifier)


@means(r"A chair decides\.")
def _(facts: Any) -> bool:
    return facts.next_step == "A chair decides."


@means(r"The organizers of (.+) have withdrawn their request to change the registered design (\S+)\.")
def _(facts: Any, title: str, identifier: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier)


@means(r"(?:The registered values are unchanged\. )?The request was to change:|The request is to change:")
def _(facts: Any) -> bool:
    return bool(facts.changes or facts.refused) and facts.version is None


@means(r"Not approved; these registered values are unchanged:")
def _(facts: Any) -> bool:
    return bool(facts.refused) and facts.version is not None


@means(r"A participant of (.+) objects to the requested change of the registered design (\S+):")
def _(facts: Any, title: str, identifier: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier)


@means(r"“(.+)”")
def _(facts: Any, text: str) -> bool:
    return facts.text == text


@means(r"The objection is listed with the request\. The chairs decide\.")
def _(facts: Any) -> bool:
    return bool(facts.text)


@means(r"None of the requested changes of (.+) was approved\. The registered design (\S+) stays as it is\.")
def _(facts: Any, title: str, identifier: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier) and facts.version is None


@means(r"Version (\S+) of the registered design (\S+) of (.+) applies from now on\.")
def _(facts: Any, version: str, identifier: str, title: str) -> bool:
    return (version, identifier, title) == (facts.version, facts.identifier, facts.title)


@means(r"Subject: (.+): (.+) is not ranked yet in (.+)")
def _(facts: Any, challenge: str, team: str, phase: str) -> bool:
    return where(facts, challenge, phase) and team == facts.team


@means(r"The organizers of (.+) remind you: if (.+) closed now, the team (.+) would not be in the final ranking\.")
def _(facts: Any, challenge: str, phase: str, team: str) -> bool:
    return where(facts, challenge, phase) and team == facts.team


@means(r"See the page of your submissions for what you can do\.")
def _(facts: Any) -> bool:
    return bool(facts.reason)


@means(r"Subject: (.+): (a deadline is|deadlines are) later")
def _(facts: Any, title: str, words: str) -> bool:
    return facts.title == title and (words == "a deadline is") == (len(facts.moves) == 1)


@means(r"The organizers of (.+) have moved (a deadline to a later date|(\d+) deadlines to later dates):")
def _(facts: Any, title: str, _words: str, number: str | None) -> bool:
    return facts.title == title and int(number or 1) == len(facts.moves)


@means(r"Reason: (.+)\.")
def _(facts: Any, text: str) -> bool:
    return text == (getattr(facts, "text", "") or getattr(facts, "reason", "")).removesuffix(".")


@means(r"The new dates apply now, to every team\. Version (\S+) of the registered design (\S+) contains them\.")
def _(facts: Any, version: str, identifier: str) -> bool:
    return (version, identifier) == (facts.version, facts.identifier)


@means(r"It is a deviation, decided after the first submission\. The mark next to the rankings is permanent\.")
def _(facts: Any) -> bool:
    return facts.is_deviation and facts.version is not None
