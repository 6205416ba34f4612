"""Meanings of messages about people, registered designs, reviews, sites and cases, compared with the facts."""

from typing import Any

from tests.claims.act_meanings import DAY, means, on

# People


@means(r"(.+) has removed you from the team (.+) in (.+)\. What the team submitted stays with it\.")
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return (who, team, challenge) == (facts.actor, facts.team, facts.challenge)


@means(
    r"(.+) made you the captain of the team (.+) in (.+)\. You invite and remove members from now on, and hand this over again on "
    r"the page of the team\."
)
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return (who, team, challenge) == (facts.actor, facts.team, facts.challenge)


@means(
    r"(.+) has accepted the invitation into the team (.+) in (.+), and sees and submits what the team does from now on\."
)
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return facts.agreed and (who, team, challenge) == (facts.actor, facts.team, facts.challenge)


@means(
    r"(.+) has declined the invitation into the team (.+) in (.+)\. The captain can invite somebody else on the page of the team\."
)
def _(facts: Any, who: str, team: str, challenge: str) -> bool:
    return not facts.agreed and (who, team, challenge) == (facts.actor, facts.team, facts.challenge)


@means(r"The organizers of (.+) set the team (.+) to “(.+)”\.")
def _(facts: Any, challenge: str, team: str, standing: str) -> bool:
    return (challenge, team, standing) == (facts.challenge, facts.team, facts.standing)


@means(r"Their reason: (.+)")
def _(facts: Any, reason: str) -> bool:
    return reason == facts.reason


@means(r"Rankings that this concerns are computed anew; write to the organizers if you think that it is a mistake\.")
def _(facts: Any) -> bool:
    return bool(facts.standing)


@means(r"(.+) asks to take part in (.+) and waits for you to let them in or to say why not\.")
def _(facts: Any, who: str, challenge: str) -> bool:
    return (who, challenge) == (facts.actor, facts.challenge)


@means(r"They write: (.+)")
def _(facts: Any, words: str) -> bool:
    return words == facts.words


@means(
    r"The organizers let you take part in (.+)\. Next, form a team or join one by invitation; then you get the data and submit, as "
    r"the phases allow\."
)
def _(facts: Any, challenge: str) -> bool:
    return facts.agreed and challenge == facts.challenge


@means(r"The organizers of (.+) declined your request to take part\. Their reason: (.+)")
def _(facts: Any, challenge: str, reason: str) -> bool:
    return not facts.agreed and (challenge, reason) == (facts.challenge, facts.reason)


@means(
    r"(.+) made you an organizer of (.+), as (\w+)\. The page “Organize” shows what you may see and do, and what waits for you\."
)
def _(facts: Any, who: str, challenge: str, role: str) -> bool:
    return (who, challenge, role) == (facts.actor, facts.challenge, facts.role)


# Registered designs, reviews, sites and cases


@means(
    r"The design “(.+)” is registered as (\S+) and public now, as version 1\.0\. Later changes go through change requests; the record "
    r"leads on to what can be done next\."
)
def _(facts: Any, title: str, identifier: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier)


@means(
    r"(?:Somebody comments on your|Your comment on the) registered design “(.+)” \((\S+)\)(?: is answered, on its page of comments, where everybody reads it)?\."
    r"(?: Answer on the page of comments, where everybody reads it\.)?"
)
def _(facts: Any, title: str, identifier: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier)


@means(r"The registered challenge “(.+)” \((\S+)\) is (\w+)\. Its record stays public and says so\.")
def _(facts: Any, title: str, identifier: str, state: str) -> bool:
    return (title, identifier, state) == (facts.title, facts.identifier, facts.state)


@means(r"The reason: (.+)")
def _(facts: Any, words: str) -> bool:
    return words == facts.words


@means(
    rf"The design “(.+)”, accepted for (.+), was to be registered by {DAY}: (.+)\. It can still be registered, and stays marked as late\."
)
def _(facts: Any, title: str, call: str, day: str, why: str) -> bool:
    return facts.is_over and (title, call, why) == (facts.title, facts.call, facts.words) and on(day, facts.due)


@means(
    rf"The design “(.+)” was accepted for (.+) and is not registered yet\. On {DAY} (.+); a design that is registered later stays "
    r"marked as late\."
)
def _(facts: Any, title: str, call: str, day: str, why: str) -> bool:
    return not facts.is_over and (title, call, why) == (facts.title, facts.call, facts.words) and on(day, facts.due)


@means(
    rf"The last day for critical changes of “(.+)” \((\S+)\) is {DAY}\. A later one is marked as late for good\. Ask for what has to "
    r"change before\."
)
def _(facts: Any, title: str, identifier: str, day: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier) and on(day, facts.due)


@means(
    rf"The results of “(.+)” \((\S+)\) were due on {DAY}, and the record links to no report\. Publish the report, ask for a change of "
    r"the schedule, or mark the challenge as withdrawn or abandoned with the reason\."
)
def _(facts: Any, title: str, identifier: str, day: str) -> bool:
    return (title, identifier) == (facts.title, facts.identifier) and on(day, facts.due)


@means(r"The design “(.+)” was filed in (.+)\. Next, assign its reviewers; reviews are due on (.+)\.")
def _(facts: Any, title: str, call: str, due: str) -> bool:
    return facts.number == 1 and (title, call, due) == (facts.title, facts.call, facts.due)


@means(
    r"Version (\d+) of “(.+)” was filed in (.+), in answer to the points of the reviewers\. Next, look at what changed and decide, or "
    r"have it reviewed again\."
)
def _(facts: Any, number: str, title: str, call: str) -> bool:
    return facts.number > 1 and (int(number), title, call) == (facts.number, facts.title, facts.call)


@means(
    r"Somebody wrote in the discussion of the reviewers of “(.+)” in (.+)\. Read it, and answer, on the page of the discussion; "
    r"organizers do not see it\."
)
def _(facts: Any, title: str, call: str) -> bool:
    return (title, call) == (facts.title, facts.call)


@means(
    r"Site (.+) of (Final|Round 2) of (.+) registered its key, and nothing is taken from it before you confirm the key\. Compare its "
    r"fingerprint with the site by telephone, then confirm it\."
)
def _(facts: Any, name: str, phase: str, challenge: str) -> bool:
    return (name, phase, challenge) == (facts.name, facts.phase, facts.challenge)


@means(
    r"Messages of a site of (Final|Round 2) of (.+) were refused, and nothing of them counts\. What was refused, and why, stands on the "
    r"page of the sites; ask the site what happened\."
)
def _(facts: Any, phase: str, challenge: str) -> bool:
    return (phase, challenge, "") == (facts.phase, facts.challenge, facts.name)


@means(
    r"Somebody reports (case-\d) of (Final|Round 2) of (.+): (.+)\. Look at it, then confirm or dismiss the report with an answer\."
)
def _(facts: Any, case: str, phase: str, challenge: str, what: str) -> bool:
    return (case, phase, challenge, what) == (facts.case, facts.phase, facts.challenge, facts.what)


@means(r"The organizers of (.+) (confirmed|dismissed) your report of (case-\d) of (Final|Round 2)\.")
def _(facts: Any, challenge: str, what: str, case: str, phase: str) -> bool:
    return (challenge, what, case, phase) == (facts.challenge, facts.what, facts.case, facts.phase)


@means(
    r"(.+) (begins|writes in) “(.+)” in the discussion of (.+?)(?:, which you follow)?\. Read and answer it on its page\."
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


@means(r"Whoever has the link can use it: pass it to nobody\.")
def _(facts: Any) -> bool:
    return not facts.only_addressee


@means(r"You need an account with this e-mail address\. If you do not know what this is about, ignore this letter\.")
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
    r"(.+) invites (.+) to take part in (.+), (Final|Round 2), as a site: algorithms run on its own cases\. Cases stay with you; what "
    r"leaves are sums over many cases, which you read before they are sent\."
)
def _(facts: Any, who: str, site: str, challenge: str, phase: str) -> bool:
    return (who, site, challenge, phase) == (facts.actor, facts.into, facts.challenge, facts.phase)


@means(
    rf"Everything there is to do stands on the page below, step by step\. A key can be registered there until {DAY}\."
)
def _(facts: Any, day: str) -> bool:
    return on(day, facts.until.date())
