"""The example call, as `make run` loads it."""

import pytest

from designs.services.examples import EXAMPLES, load_example_design
from operations.services import example_call
from operations.services.example_accounts import ACCOUNTS
from operations.services.example_call import load_example_call
from reviews.models import Filing, Outcome, Part
from tests.unit.reviews.world import person

pytestmark = pytest.mark.django_db
NAMES = ("charles", "rita", "rolf", "clara", "olivia")


def test_the_example_call_has_designs_in_four_states_and_is_loaded_once():
    people = {name: person(name) for name in NAMES}
    designs = {name: load_example_design(name=name, owner=people["olivia"])[0] for name in EXAMPLES}
    call, is_new = load_example_call(people=people, designs=designs)
    assert is_new
    states = dict(Filing.objects.values_list("design__copied_from__slug", "state"))
    assert states == {
        "example-hippocampus": "accepted",
        "example-nuclei": "under_review",
        "example-msd": "revision_required",
        "example-robustmis": "submitted",
        "example-fets": "submitted",
    }
    msd = Filing.objects.get(design__copied_from__slug="example-msd")
    assert sorted(msd.threads.values_list("state", "is_blocking")) == [
        ("answered", True),
        ("open", False),
        ("open", True),
    ]
    assert load_example_call(people=people, designs=designs) == (call, False)


def test_a_newcomer_plays_a_whole_review_with_accounts_that_can_sign_in():
    people = {name: person(name) for name in NAMES}
    designs = {name: load_example_design(name=name, owner=people["olivia"])[0] for name in EXAMPLES}
    call, _ = load_example_call(people=people, designs=designs)
    filing = Filing.objects.get(design__copied_from__slug="example-robustmis")
    panel = {reviewer.user.username: reviewer for reviewer in call.reviewers.select_related("user")}
    assert all(Part.GENERAL in panel[name].parts for name in ("rita", "rolf"))
    assert panel["clara"].parts == [Part.CLINICAL]
    assert all(panel[name].user == people[name] for name in ("rita", "rolf", "clara"))
    example_call._review(filing, people["charles"], panel, ("rita", "rolf", "clara"), Outcome.ACCEPT, Outcome.MINOR)
    filing.refresh_from_db()
    example_call._decide(filing, people["charles"], Outcome.ACCEPT)
    filing.refresh_from_db()
    assert filing.state == "accepted"


def test_the_reviewers_of_the_example_are_accounts_whose_passwords_are_printed():
    accounts = {account.username: account for account in ACCOUNTS}
    assert all(accounts[name].group == "reviewers" for name in ("rita", "rolf", "clara"))
