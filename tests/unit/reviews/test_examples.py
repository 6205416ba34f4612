"""The example call, as `make run` loads it."""

import pytest

from designs.services.examples import EXAMPLES, load_example_design
from reviews.models import Filing
from reviews.services.examples import load_example_call
from tests.unit.reviews.world import person

pytestmark = pytest.mark.django_db


def test_the_example_call_has_designs_in_four_states_and_is_loaded_once():
    people = {name: person(name) for name in ("charles", "rita", "olivia")}
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
