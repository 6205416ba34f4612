"""The example call: four designs in different states, made through the same services as in the browser."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.notifications.services import choose
from designs.models import Design
from designs.queries import document_of
from designs.services import duplicate_design, save_field
from reviews.models import Answer, Assignment, Call, Filing, Outcome, Part, Question, Reviewer, ReviewThread, Side
from reviews.services import assigning, calls, deciding, reviewers, reviewing, talk
from reviews.services.filing import file_design
from reviews.services.mails import KINDS

SLUG: Final = "example-miccai"
_WORDS: Final = {
    "summary": "Challenge designs for the next conference, reviewed before any data are released.",
    "description": "File the complete design of your challenge: data, references, metrics, ranking, rules and schedule.\n\n"
    "Two or three independent reviewers and a clinical reviewer read every design. Accepted designs are registered, and the "
    "platform runs the registered design. This call is an example. File a copy of a design, or sign in as a reviewer or chair.",
}


@dataclass(frozen=True)
class Person:
    """A reviewer of the example world; one who is no example account cannot sign in."""

    username: str
    name: tuple[str, str]
    part: str
    expertise: tuple[str, ...]


PEOPLE: Final = (
    Person("rolf", ("Rolf", "Reviewer"), Part.GENERAL, ("segmentation", "MRI", "statistics")),
    Person("example-ruth", ("Ruth", "Reviewer"), Part.GENERAL, ("microscopy", "instance segmentation")),
    Person("clara", ("Clara", "Clinician"), Part.CLINICAL, ("neurology", "surgery", "radiology")),
    Person("example-stan", ("Stan", "Statistician"), Part.STATISTICS, ("ranking", "uncertainty")),
)


_NUMBER_OF_CASES: Final = "Does the design justify the number of cases and the split, without leakage between groups?"
_JUSTIFICATION: Final = "Are the metrics justified by more than common use?"


@dataclass(frozen=True)
class Tone:
    """An example review: its summary, its scores, and the answers that are *partly*.

    Attributes
    ----------
    comments
        Comment on each question that is answered with *partly*, by the question. All other answers are *yes*.
    """

    score: int
    weak_score: int
    summary: str
    comments: Mapping[str, str]


_TONES: Final = {
    Outcome.ACCEPT: Tone(
        5,
        4,
        "The goal is relevant, and the metrics fit it. The description is complete. The ranking can be executed as written. "
        "I recommend to accept the design without changes.",
        {},
    ),
    Outcome.MINOR: Tone(
        4,
        4,
        "The design is sound, and the assessment fits the goal. The number of test cases needs a better justification. "
        "Please add the difference between algorithms that you expect to detect. No other change is needed.",
        {_NUMBER_OF_CASES: "The number of test cases is stated. Please explain why it is sufficient."},
    ),
    Outcome.MAJOR: Tone(
        4,
        2,
        "The goal is relevant, and the data are described well. The assessment needs work before the registration. I do not "
        "expect that these cases separate the best algorithms. Please answer my points next to the parameters.",
        {
            _NUMBER_OF_CASES: "Please state the smallest difference that matters, and the number of cases that shows it.",
            _JUSTIFICATION: "Please justify each tolerance for the structure that it applies to.",
        },
    ),
}
_WEAK_SCORES: Final = ("Soundness of the data", "Soundness of the assessment", "Completeness of the description")


@transaction.atomic
def load_example_call(*, people: dict[str, User], designs: dict[str, Design]) -> tuple[Call, bool]:
    """Make the call with four designs: accepted, under review, awaiting a revision, just filed.

    Parameters
    ----------
    people
        The example accounts by user name: ``charles`` chairs, ``rita``, ``rolf`` and ``clara`` review, ``olivia`` owns the
        designs. With these four passwords a newcomer plays a whole review: the chair assigns the design that was just
        filed to the three, each of them reviews it, and the chair decides.
    designs
        The example designs by name: ``hippocampus``, ``nuclei``, ``msd``, ``robustmis``.

    Returns
    -------
    tuple
        The call, and whether it is new.
    """
    existing = Call.objects.filter(slug=SLUG).first()
    if existing is not None:
        return existing, False
    chair, organizer = people["charles"], people["olivia"]
    for person in {chair, organizer, *(people[name] for name in ("rita", "rolf", "clara") if name in people)}:
        # Their mailboxes do not exist; they read their messages in the page.
        choose(user=person, choices=dict.fromkeys(KINDS, "never"))
    call = _call(chair)
    panel = _panel(call, chair, people)
    filings = {
        name: file_design(actor=organizer, call=call, design=next_edition(actor=organizer, design=design, call=call))
        for name, design in designs.items()
    }
    if "hippocampus" in filings:
        _review(filings["hippocampus"], chair, panel, ("rolf", "ruth", "clara"), Outcome.ACCEPT, Outcome.MINOR)
        _decide(filings["hippocampus"], chair, Outcome.ACCEPT)
    if "msd" in filings:
        _review(filings["msd"], chair, panel, ("rolf", "rita", "clara"), Outcome.MAJOR, Outcome.MAJOR)
        _raise_points(filings["msd"], panel["rita"], panel["rolf"])
        _decide(filings["msd"], chair, Outcome.MAJOR)
        _answer_one(filings["msd"], organizer)
    if "nuclei" in filings:
        _review(filings["nuclei"], chair, panel, ("ruth", "rolf", "clara"), Outcome.ACCEPT, Outcome.MAJOR)
        rita = assigning.assign(actor=chair, filing=filings["nuclei"], reviewer=panel["rita"], part=Part.GENERAL)
        assigning.tell(actor=chair, assignments=[rita])
    return call, True


def _call(chair: User) -> Call:
    now = timezone.now().replace(minute=0, second=0, microsecond=0)
    return calls.create_call(
        actor=chair,
        slug=SLUG,
        title=f"MICCAI {now.year + 1} challenges (example)",
        venue="MICCAI",
        year=now.year + 1,
        is_public=True,
        submission_at=now + timedelta(days=30),
        bidding_until=now + timedelta(days=35),
        review_at=now + timedelta(days=60),
        revision_at=now + timedelta(days=90),
        registration_at=now + timedelta(days=120),
        critical_change_at=now + timedelta(days=150),
        statistician=True,
        open_domains="example.org",
        publishes_reviews=True,
        **_WORDS,
    )


def _panel(call: Call, chair: User, people: dict[str, User]) -> dict[str, Reviewer]:
    first = reviewers.add_reviewer(actor=chair, call=call, user=people["rita"], expertise=["segmentation", "endoscopy"])
    panel = {"rita": first}
    for person in PEOPLE:
        user, created = User.objects.get_or_create(
            username=person.username, defaults={"first_name": person.name[0], "last_name": person.name[1]}
        )
        if created:
            user.set_unusable_password()
            user.save()
        panel[person.username.removeprefix("example-")] = reviewers.add_reviewer(
            actor=chair, call=call, user=user, part=person.part, expertise=list(person.expertise)
        )
    return panel


def next_edition(*, actor: User, design: Design, call: Call, title: str = "") -> Design:
    """Return a copy of a design with a new year and new dates, ready to file.

    The original is not changed.
    """
    copy = duplicate_design(actor=actor, design=design, title=(title or f"{design.title}, next edition")[:200])
    if design.legacy_import:
        copy.legacy_import = True
        copy.save(update_fields=["legacy_import"])
    if title:
        save_field(actor=actor, design=copy, parameter="challenge_name", value=title)
        save_field(actor=actor, design=copy, parameter="challenge_acronym", value=None)
    save_field(actor=actor, design=copy, parameter="challenge_year", value=call.registration_at.year)
    schedule = document_of(copy).values().rows("challenge_schedule")
    if schedule:
        first = min(date.fromisoformat(row["date"]) for row in schedule)
        # Whole weeks, so that deadlines fall on the same weekdays; the first after the last day of registration.
        weeks = (call.registration_at.date() - first).days // 7 + 2
        moved = [{**row, "date": str(date.fromisoformat(row["date"]) + timedelta(weeks=weeks))} for row in schedule]
        save_field(actor=actor, design=copy, parameter="challenge_schedule", value=moved)
    return copy


def _review(
    filing: Filing, chair: User, panel: dict[str, Reviewer], names: tuple[str, ...], *tones: str
) -> list[Assignment]:
    """Assign three reviewers, start the review and send all reviews.

    The first and third reviews use the first tone, the second review uses the second tone.
    """
    assignments = [
        assigning.assign(
            actor=chair,
            filing=filing,
            reviewer=panel[name],
            part=Part.CLINICAL if name == "clara" else Part.GENERAL,
        )
        for name in names
    ]
    assigning.start_review(actor=chair, filing=filing)
    for assignment, tone in zip(assignments, (tones[0], tones[1], tones[0]), strict=True):
        assignment.filing = filing
        _send(assignment, Outcome(tone))
    return assignments


def _send(assignment: Assignment, tone: Outcome) -> None:
    review = reviewing.begin_review(assignment=assignment)
    example = _TONES[tone]
    answers = []
    for question in reviewing.questions_for(assignment.filing.call, assignment.part):
        if question.kind == Question.Kind.SCORE:
            score = example.weak_score if question.text in _WEAK_SCORES else example.score
            answers.append(Answer(review=review, question=question, score=score))
        else:
            comment = example.comments.get(question.text, "")
            judgement = Answer.Judgement.PARTLY if comment else Answer.Judgement.YES
            answers.append(Answer(review=review, question=question, judgement=judgement, words=comment))
    Answer.objects.bulk_create(answers)
    reviewing.save_verdict(review=review, recommendation=tone, confidence=4, summary=example.summary)
    reviewing.send_review(review=review)


def _raise_points(filing: Filing, rita: Reviewer, rolf: Reviewer) -> None:
    task = filing.versions.get().version.document["tasks"][0]["key"]
    of = {one.reviewer_id: one for one in filing.assignments.all()}
    for reviewer, parameter, task_key, blocking, text in (
        (rita, "tie_handling", task, True, "Please state the rank of teams with equal scores."),
        (rolf, "contact_person", "", True, "Please name a person whose address stays valid after the challenge."),
        (rolf, "metric_justification", task, False, "Please explain this tolerance for this organ."),
    ):
        talk.open_thread(
            actor=reviewer.user,
            filing=filing,
            parameter=parameter,
            task_key=task_key,
            assignment=of[reviewer.pk],
            is_blocking=blocking,
            text=text,
        )


def _decide(filing: Filing, chair: User, outcome: Outcome) -> None:
    subject, letter = deciding.draft_letter(filing=filing, outcome=outcome, chair=chair)
    deciding.decide(actor=chair, filing=filing, outcome=outcome, letter=letter, subject=subject)


def _answer_one(filing: Filing, organizer: User) -> None:
    thread = ReviewThread.objects.filter(filing=filing, parameter="contact_person").get()
    talk.add_comment(
        actor=organizer, thread=thread, side=Side.ORGANIZER, text="The address of our office will be entered here."
    )
