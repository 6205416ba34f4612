"""A call with its people and a design, for the tests of this app."""

from dataclasses import dataclass, field
from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from designs.models import Collaborator, Design
from designs.services import save_field
from designs.services.designs import import_design
from designs.services.examples import example_document
from reviews.models import Answer, Call, Filing, Part, Question, Reviewer
from reviews.services import assigning, calls, deciding, reviewers, reviewing
from reviews.services.filing import file_design

# Whatever of these a double-blind reviewer reads gives the organizers away.
NAMES = ("Organizerson", "Teammate", "Secret Imaging", "ISIX", "secret-imaging.org", "organizer_orla", "Ines Inside")
ABSTRACT = (
    "The group of Prof. Organizerson at the Institute of  Secret Imaging (ISIX) invites everybody; "
    "see https://secret-imaging.org/challenge or write to orla@secret-imaging.org."
)
TEAM = [
    {"name": "Orla Organizerson", "affiliation": "Institute of Secret Imaging (ISIX), Bonn", "role": "lead_organizer",
     "email": "orla@secret-imaging.org"},
    {"name": "Theo Teammate", "affiliation": "Institute of Secret Imaging (ISIX), Bonn", "role": "co_organizer"},
]  # fmt: skip


def person(name, **facts):
    email = facts.pop("email", f"{name}@{name}.example.net")
    return User.objects.create_user(name, email, **facts)


def dates(**changed):
    now = timezone.now()
    return {
        "submission_at": now + timedelta(days=10),
        "review_at": now + timedelta(days=20),
        "revision_at": now + timedelta(days=30),
        "registration_at": now + timedelta(days=40),
        "critical_change_at": now + timedelta(days=50),
        **changed,
    }


def make_call(chair, **facts):
    return calls.create_call(actor=chair, title="Spring challenges", is_public=True, **{**dates(), **facts})


def make_design(owner, title="Hippocampus, spring"):
    """A design that passes the gate."""
    design, _ = import_design(actor=owner, title=title, data=example_document("hippocampus"))
    save_field(actor=owner, design=design, parameter="challenge_name", value=title)
    save_field(actor=owner, design=design, parameter="challenge_acronym", value=None)
    save_field(actor=owner, design=design, parameter="organizing_team", value=TEAM)
    save_field(
        actor=owner,
        design=design,
        parameter="contact_person",
        value={"name": "Orla Organizerson", "email": "orla@secret-imaging.org"},
    )
    save_field(actor=owner, design=design, parameter="challenge_abstract", value=ABSTRACT)
    return design


@dataclass
class World:
    """All people involved in one filing."""

    chair: User
    owner: User
    editor: User
    call: Call
    design: Design
    filing: Filing | None = None
    panel: dict[str, Reviewer] = field(default_factory=dict)

    def file(self):
        self.filing = file_design(actor=self.owner, call=self.call, design=self.design)
        return self.filing

    def assign(self, *names):
        for name in names or ("r1", "r2", "clara"):
            part = Part.CLINICAL if name == "clara" else Part.GENERAL
            assigning.assign(actor=self.chair, filing=self.filing, reviewer=self.panel[name], part=part)

    def start(self):
        assigning.start_review(actor=self.chair, filing=self.filing)

    def assignment(self, name):
        found = self.filing.assignments.select_related("filing__call", "reviewer__user").get(
            reviewer=self.panel[name], removed_at=None
        )
        found.filing = self.filing
        return found

    def send(self, name, recommendation="accept", score=4, **verdict):
        assignment = self.assignment(name)
        review = reviewing.begin_review(assignment=assignment)
        answered = set(review.answers.values_list("question", flat=True))
        Answer.objects.bulk_create(
            Answer(
                review=review,
                question=question,
                score=score if question.kind == Question.Kind.SCORE else None,
                judgement="" if question.kind == Question.Kind.SCORE else "yes",
            )
            for question in reviewing.questions_for(self.call, assignment.part)
            if question.pk not in answered
        )
        words = {"summary": f"Summary of {name}", "confidential": f"Note of {name}", "confidence": 3, **verdict}
        reviewing.save_verdict(review=review, recommendation=recommendation, **words)
        return reviewing.send_review(review=review)

    def under_review(self):
        self.file()
        self.assign()
        self.start()
        return self.filing

    def decide(self, outcome):
        subject, letter = deciding.draft_letter(filing=self.filing, outcome=outcome, chair=self.chair)
        return deciding.decide(actor=self.chair, filing=self.filing, outcome=outcome, letter=letter, subject=subject)

    def revision_required(self):
        self.under_review()
        for name in ("r1", "r2", "clara"):
            self.send(name, "major", 2)
        self.decide("major")


def build(**facts):
    """A call with a panel of three reviewers, a clinical one and a statistician; nothing is filed yet."""
    chair = person("charlie", first_name="Charlie", last_name="Chair")
    owner = person(
        "organizer_orla",
        first_name="Orla",
        last_name="Organizerson",
        affiliation="Institute of Secret Imaging (ISIX), Bonn",
        email="orla@secret-imaging.org",
    )
    editor = person("ines", first_name="Ines", last_name="Inside")
    call = make_call(chair, **facts)
    design = make_design(owner)
    Collaborator.objects.create(design=design, user=editor, role=Collaborator.Role.EDITOR)
    world = World(chair, owner, editor, call, design)
    for name, part in (("r1", Part.GENERAL), ("r2", Part.GENERAL), ("r3", Part.GENERAL), ("clara", Part.CLINICAL),
                       ("stan", Part.STATISTICS)):  # fmt: skip
        user = person(f"rev_{name}", first_name=name.capitalize(), last_name=f"Reviewername{name}")
        world.panel[name] = reviewers.add_reviewer(actor=chair, call=call, user=user, part=part)
    return world


def vary(world, **facts):
    """Give the call other settings, as long as nothing is filed."""
    for name, value in facts.items():
        setattr(world.call, name, value)
    world.call.save()
    return world
