"""Meanings of messages about people, registered designs, reviews, sites and cases, compared with the facts."""

from typing import Any

from tests.claims.act_meanings import DAY, means, on

# People


@means(r"(.+) has removed you from the team (.+) in (.+)\. The team keeps its submissions\.")
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return (who, team, challenge) == (facts.actor, facts.team, facts.challenge)


@means(
    r"(.+) made you the captain of the team (.+) in (.+)\. You can now invite and remove members, and hand over the role on the team page\."
)
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return (who, team, challenge) == (facts.actor, facts.team, facts.challenge)


@means(
    r"(.+) has accepted the invitation into the team (.+) in (.+), and can now see and make submissions of the team\."
)
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return facts.agreed and (who, team, challenge) == (facts.actor, facts.team, facts.challenge)


@means(
    r"(.+) has declined the invitation into the team (.+) in (.+)\. The captain can invite another person on the team page\."
)
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return not facts.agreed and (who, team, challenge) == (facts.actor, facts.team, facts.challenge)


@means(r"The organizers of (.+) set the team (.+) to “(.+)”\.")
def _(facts: Any, challenge: str, team: str, standing: str) -> bool:
    return (challenge, team, standing) == (facts.challenge, facts.team, facts.standing)


@means(r"Their reason: (.+)")
def _(facts: Any, reason: str) -> bool:
    return reason == facts.reason


@means(r"Affected rankings are being recomputed\. Contact the organizers if you think this is a mistake\.")
def _(facts: Any) -> bool:
    return bool(facts.standing)


@means(r"(.+) asks to take part in (.+) and needs your decision\.")
def _(facts: Any, who: str, challenge: str) -> bool:
    return (who, challenge) == (facts.actor, facts.challenge)


@means(r"They write: (.+)")
def _(facts: Any, words: str) -> bool:
    return words == facts.words


@means(
    r"The organizers let you take part in (.+)\. Next, create a team or join one by invitation\. Then get the data and submit during the phases\."
)
def _(facts: Any, challenge: str) -> bool:
    return facts.agreed and challenge == facts.challenge


@means(r"The organizers of (.+) declined your request to take part\. Their reason: (.+)")
def _(facts: Any, challenge: str, reason: str) -> bool:
    return not facts.agreed and (challenge, reason) == (facts.challenge, facts.reason)


@means(
    r"(.+) made you an organizer of (.+), as (\w+)\. The page “Organize” shows your permissions and pending actions\."
)
def _(facts: Any, who: str, challenge: str, role: str) -> bool:
    return (who, challenge, role) == (facts.actor, facts.challenge, facts.role)


# Registered designs, reviews, sites and cases


@means(
    r"The design “(.+)” is registered as (\S+) and public now, as version 1\.0\. Later changes need change requests\. The record page shows possible next steps\."
)
def _(facts: Any, title: str, identifier: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier)


@means(
    r"(?:There is a new comment on your|Your comment on the) registered design “(.+)” \((\S+)\)(?: has a public reply on the comments page)?\."
    r"(?: Reply on the comments page\. Replies are public\.)?"
)
def _(facts: Any, title: str, identifier: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier)


@means(r"The registered challenge “(.+)” \((\S+)\) is (\w+)\. Its record remains public with this status\.")
def _(facts: Any, title: str, identifier: str, state: str) -> bool:
    return (title, identifier, state) == (facts.title, facts.identifier, facts.state)


@means(r"The reason: (.+)")
def _(facts: Any, words: str) -> bool:
    return words == facts.words


@means(
    rf"The design “(.+)”, accepted for (.+), was to be registered by {DAY}: (.+)\. It can still be registered and will be marked as late\."
)
def _(facts: Any, title: str, call: str, day: str, why: str) -> bool:
    return facts.is_over and (title, call, why) == (facts.title, facts.call, facts.words) and on(day, facts.due)


@means(
    rf"The design “(.+)” was accepted for (.+) and is not registered yet\. On {DAY} (.+); a design that is registered later is marked as late\."
)
def _(facts: Any, title: str, call: str, day: str, why: str) -> bool:
    return not facts.is_over and (title, call, why) == (facts.title, facts.call, facts.words) and on(day, facts.due)


@means(
    rf"The last day for critical changes of “(.+)” \((\S+)\) is {DAY}\. Later ones are permanently marked as late\. Request necessary changes before that day\."
)
def _(facts: Any, title: str, identifier: str, day: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier) and on(day, facts.due)


@means(
    rf"The results of “(.+)” \((\S+)\) were due on {DAY}, and the record links to no report\. Publish the report, request a change of the schedule, or mark the challenge as withdrawn or abandoned\."
)
def _(facts: Any, title: str, identifier: str, day: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier) and on(day, facts.due)


@means(r"The design “(.+)” was filed in (.+)\. Next, assign reviewers\. Reviews are due on (.+)\.")
def _(facts: Any, title: str, call: str, due: str) -> bool:
    return facts.number == 1 and (title, call, due) == (facts.title, facts.call, facts.due)


@means(
    r"Version (\d+) of “(.+)” was filed in (.+), in answer to the points of the reviewers\. Next, check the changes and decide, or request another review\."
)
def _(facts: Any, number: str, title: str, call: str) -> bool:
    return facts.number > 1 and (int(number), title, call) == (facts.number, facts.title, facts.call)


@means(
    r"There is a new comment in the reviewer discussion of “(.+)” in (.+)\. Read and reply on the discussion page\. Organizers cannot see it\."
)
def _(facts: Any, title: str, call: str) -> bool:
    return (title, call) == (facts.title, facts.call)


@means(
    r"Site (.+) of (Final|Round 2) of (.+) registered its key, and its messages are not accepted before you confirm the key\. Compare the fingerprint with the site by telephone, then confirm it\."
)
def _(facts: Any, name: str, phase: str, challenge: str) -> bool:
    return (name, phase, challenge) == (facts.name, facts.phase, facts.challenge)


@means(
    r"Messages of a site of (Final|Round 2) of (.+) were rejected and do not count\. The page of the sites shows the reasons\. Contact the site\."
)
def _(facts: Any, phase: str, challenge: str) -> bool:
    return (phase, challenge, "") == (facts.phase, facts.challenge, facts.name)


@means(
    r"A problem was reported for (case-\d) of (Final|Round 2) of (.+): (.+)\. Check it, then confirm or dismiss the report with an answer\."
)
def _(facts: Any, case: str, phase: str, challenge: str, what: str) -> bool:
    return (case, phase, challenge, what) == (facts.case, facts.phase, facts.challenge, facts.what)


@means(r"The organizers of (.+) (confirmed|dismissed) your report of (case-\d) of (Final|Round 2)\.")
def _(facts: Any, challenge: str, what: str, case: str, phase: str) -> bool:
    return (challenge, what, case, phase) == (facts.challenge, facts.what, facts.case, facts.phase)


@means(
    r"(.+) sent a private message to the organizers of (.+)\. Only they and the organizers can read it\. Reply on its page\."
)
def _(facts: Any, who: str, about: str) -> bool:
    return facts.is_first and (who, about) == (facts.actor, facts.about)


@means(r"(.+) replied in the private conversation “(.+)” about (.+)\. Reply on its page\.")
def _(facts: Any, who: str, thread: str, about: str) -> bool:
    return not facts.is_first and (who, thread, about) == (facts.actor, facts.thread, facts.about)


@means(
    r"(.+) (begins|writes in) “(.+)” in the discussion of (.+?)(?:, which you follow)?\. Read and reply on its page\."
)
def _(facts: Any, who: str, what: str, thread: str, about: str) -> bool:
    is_about_it = (who, thread, about) == (facts.actor, facts.thread, facts.about)
    return is_about_it and (what == "begins") == facts.is_first


@means(r"The organizers of (.+) announce:")
def _(facts: Any, about: str) -> bool:
    return about == facts.about


# The last: words that people wrote stand as they are.
@means(r"(Which scanner was it\?|No data\.|Which axis is first\?)")
def _(facts: Any, words: str) -> bool:
    return words == facts.words


# Invitations


@means(r"Subject: (.+) invites you to the team (.+) in (.+)")
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return (who, team, challenge) == (facts.actor, facts.into, facts.challenge)


@means(r"(.+) invites you to the team (.+), which takes part in (.+)\.")
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return (who, team, challenge) == (facts.actor, facts.into, facts.challenge)


@means(r"Open the link within (\d+) days to (?:join|accept) or decline\.")
def _(facts: Any, days: str) -> bool:
    return int(days) == facts.days > 0


@means(r"Anyone with this link can use it\. Don't share it\.")
def _(facts: Any) -> bool:
    return not facts.only_addressee


@means(r"You need an account with this e-mail address\. If you did not expect this invitation, ignore it\.")
def _(facts: Any) -> bool:
    return facts.only_addressee


@means(r"Subject: (.+) asks you to work on the design “(.+)”")
def _(facts: Any, who: str, design: str) -> bool:
    return (who, design) == (facts.actor, facts.into)


@means(r"(.+) invites you as (.+) to the challenge design “(.+)”\.")
def _(facts: Any, who: str, role: str, design: str) -> bool:
    return (who, role, design) == (facts.actor, facts.role, facts.into)


@means(r"Subject: Invitation of (.+) to (.+)")
def _(facts: Any, site: str, challenge: str) -> bool:
    return challenge == facts.challenge and site == (facts.institution or facts.into)


@means(
    r"(.+) invites (.+) to take part in (.+), (Final|Round 2), as a site: algorithms run on its own cases\. Cases stay at your site\. Only sums over many cases are sent, after you have reviewed them\."
)
def _(facts: Any, who: str, site: str, challenge: str, phase: str) -> bool:
    return (who, site, challenge, phase) == (facts.actor, facts.into, facts.challenge, facts.phase)


@means(rf"The page below lists every step\. You can register a key there until {DAY}\.")
def _(facts: Any, day: str) -> bool:
    return on(day, facts.until.date())
