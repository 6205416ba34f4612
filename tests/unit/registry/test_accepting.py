"""From acceptance to registration: the people, the exact version, and obstacles."""

from itertools import pairwise

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.notifications.models import Notification
from designs.services import freeze_version, save_field
from registry import queries, services
from registry.models import Registration
from reviews.models import FiledVersion, Filing, State, Transition
from tests.unit.registry.world import filled, person
from tests.unit.reviews.world import make_call, make_design

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return person("orla")


@pytest.fixture
def chair():
    return person("charlie")


@pytest.fixture
def design(owner):
    return make_design(owner)


@pytest.fixture
def filing(owner, chair, design):
    return accept(make_call(chair, publishes_reviews=True), design, owner)


def accept(call, design, owner):
    """File and accept the current design; the transitions are covered by the tests of reviews."""
    filing = Filing.objects.create(call=call, design=design, number=1, title=design.title, state=State.ACCEPTED)
    version = freeze_version(actor=owner, design=design, name="Filed")
    FiledVersion.objects.create(filing=filing, number=1, version=version, filed_by=owner)
    steps = (State.DRAFT, State.SUBMITTED, State.UNDER_REVIEW, State.ACCEPTED)
    before = None
    for old, new in pairwise(steps):
        before = Transition.objects.create(filing=filing, predecessor=before, from_state=old, to_state=new)
    return filing


def change(design, parameter, value=None, *, task=False, **more):
    owner = design.collaborators.get(role="owner").user
    holder = design.tasks.first() if task else None
    save_field(actor=owner, design=design, parameter=parameter, task=holder, value=value, **more)


def test_an_owner_registers_what_was_accepted(design, filing, owner):
    assert services.readiness(design).is_ready
    version = services.register_design(design=design, actor=owner)
    filing.refresh_from_db()
    assert filing.state == State.REGISTERED
    assert version.design_version == filing.versions.get().version
    assert version.registration.filing == filing
    assert not version.registration.is_example
    step = filing.transitions.get(to_state=State.REGISTERED)
    assert (step.actor, version.registration.identifier in step.reason) == (None, True)
    assert version.registered_by == owner


def test_a_late_registration_is_possible_and_stays_marked(design, filing, owner):
    # The schedule of this design began before it was registered.
    state = services.readiness(design)
    assert (state.is_ready, state.is_late) == (True, True)
    assert services.register_design(design=design, actor=owner).is_late


def test_a_registration_in_time_is_not_marked(owner, chair, design):
    year = timezone.now().year + 1
    rows = [
        {"event": "training_data_release", "date": f"{year}-03-01"},
        {"event": "submission_open", "date": f"{year}-05-01"},
    ]
    change(design, "challenge_schedule", rows)
    accept(make_call(chair), design, owner)
    assert not services.readiness(design).is_late


def test_a_chair_registers_too_and_takes_the_last_step(design, filing, chair):
    services.register_design(design=design, actor=chair)
    assert filing.transitions.get(to_state=State.REGISTERED).actor == chair
    # Who works on the design is told; who did it knows.
    assert [row.user for row in Notification.objects.filter(kind="design_registered")] == [
        design.collaborators.get().user
    ]


def test_a_change_that_nobody_reviewed_is_left_out(design, filing, owner):
    change(design, "challenge_abstract", "Something else altogether.")
    state = services.readiness(design)
    assert [difference.parameter.id for difference in state.other_changes] == ["challenge_abstract"]
    version = services.register_design(design=design, actor=owner)
    assert version.document["challenge"]["challenge_abstract"].startswith("The group of Prof.")


def test_what_was_announced_by_a_date_is_filled_in_before(owner, chair, design):
    change(design, "award_policy", state="to_be_provided_by", until="2027-01-31")
    filing = accept(make_call(chair), design, owner)
    state = services.readiness(design)
    assert [row.parameter.id for row in state.missing] == ["award_policy"]
    with pytest.raises(ValidationError, match="still open"):
        services.register_design(design=design, actor=owner)
    change(design, "award_policy", "No prizes.")
    state = services.readiness(design)
    assert ([difference.parameter.id for difference in state.completed], state.other_changes) == (["award_policy"], ())
    version = services.register_design(design=design, actor=owner)
    assert version.document["challenge"]["award_policy"] == "No prizes."
    filing.refresh_from_db()
    assert filing.state == State.REGISTERED


def test_without_a_call_only_an_administrator_registers(owner):
    made = filled(owner)
    with pytest.raises(ValidationError, match="a call has accepted"):
        services.register_design(design=made, actor=owner)
    version = services.register_design(design=made, actor=person("root", is_superuser=True))
    assert version.registration.is_example


def test_a_registered_design_is_not_registered_again(design, filing, owner):
    services.register_design(design=design, actor=owner)
    with pytest.raises(ValidationError, match="registered already"):
        services.register_design(design=design, actor=owner)
    assert Registration.objects.count() == 1


def test_who_may_register_finds_it_waiting(design, filing, owner, chair):
    assert queries.waiting_for(owner) == [filing]
    assert queries.waiting_for(chair) == [filing]
    assert queries.waiting_for(person("stella")) == []
    services.register_design(design=design, actor=owner)
    assert queries.waiting_for(owner) == []


def test_the_checks_of_names_know_what_is_registered(design, filing, owner):
    from designs.queries import document_of
    from designs.queries.findings import findings

    services.register_design(design=design, actor=owner)
    copy = make_design(person("bo"), title="Hippocampus, spring")
    assert "challenge_name.unique" in {finding.check.id for finding in findings(document_of(copy), design=copy)}
    from registry.contributions.designs import registered_at

    assert registered_at(design) <= timezone.now()
    assert registered_at(copy) is None
