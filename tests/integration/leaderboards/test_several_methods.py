"""Designs with several methods per team: each submission that the team chooses is ranked separately."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from challenges.models import Phase
from evaluation import bundle
from leaderboards.models import Pseudonym, RankingVersion
from leaderboards.queries import names
from leaderboards.queries.current import current_standing
from submissions.models import Submission
from submissions.services.choosing import choose, take_back
from tests.integration.leaderboards import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    made = world.build(ranked=())
    Phase.objects.filter(slug="open").update(counts=Phase.Counts.CHOSEN, methods_per_team=2)
    phase = Phase.objects.select_related("task__challenge").get(slug="open")
    made.phases["open"] = phase
    for level in (0.7, 0.9, 0.5):
        world.scored_run(phase, made.teams["Ada"], made.people["member"], level=level)
    world.scored_run(phase, made.teams["Ben"], made.people["other"], level=0.8)
    return made


def submission(number):
    return Submission.objects.get(team__name="Ada", number=number)


def ranks(made):
    world.rank(made.phases["open"])
    table = current_standing(made.phases["open"]).version.table
    return dict(zip(table["teams"], table["orders"][0]["rank"], strict=True))


def test_every_chosen_submission_is_a_method_with_a_rank(made):
    assert ranks(made) == {"Ada": 2, "Ben": 1}  # no choice: the last one
    choose(submission=submission(1), actor=made.people["member"])
    assert ranks(made) == {"Ada (method 1)": 2, "Ben": 1}
    choose(submission=submission(2), actor=made.people["member"])
    assert ranks(made) == {"Ada (method 1)": 3, "Ada (method 2)": 1, "Ben": 2}
    with pytest.raises(ValidationError, match="chosen 2 submissions, as many as are ranked"):
        choose(submission=submission(3), actor=made.people["member"])
    take_back(submission=submission(1), actor=made.people["member"])
    choose(submission=submission(3), actor=made.people["member"])
    assert ranks(made) == {"Ada (method 1)": 3, "Ada (method 2)": 1, "Ben": 2}


def test_the_team_says_which_of_its_methods_a_submission_is(made):
    choose(submission=submission(1), actor=made.people["member"], method=2)
    assert ranks(made) == {"Ada (method 2)": 2, "Ben": 1}
    choose(submission=submission(2), actor=made.people["member"])
    choose(submission=submission(3), actor=made.people["member"], method=2)
    assert ranks(made) == {"Ada (method 1)": 1, "Ada (method 2)": 3, "Ben": 2}
    assert not submission(1).is_chosen
    with pytest.raises(ValidationError, match="there is no method 3"):
        choose(submission=submission(1), actor=made.people["member"], method=3)
    with pytest.raises(ValidationError, match="is method 1"):
        choose(submission=submission(2), actor=made.people["member"], method=2)


def test_page_and_interface_offer_the_methods_with_the_submissions_that_they_are_now(made):
    client = Client()
    client.force_login(made.people["member"])
    choose(submission=submission(1), actor=made.people["member"])
    page = client.get(submission(2).get_absolute_url()).content.decode()
    assert "method 1 (in place of submission 1)</option>" in page
    assert '<option value="2" selected>method 2</option>' in page
    client.post(f"{submission(2).get_absolute_url()}decide/", {"decision": "choose", "method": "1"})
    assert (submission(1).method_number, submission(2).method_number) == (None, 1)
    address = reverse("api:submission-decide", args=[submission(3).pk])
    client.post(address, {"decision": "choose", "method": 1}, content_type="application/json")
    assert submission(3).method_number == 1


def test_the_team_chooses_and_takes_back_in_the_browser(made):
    client = Client()
    client.force_login(made.people["member"])
    address = submission(2).get_absolute_url()
    assert "Up to 2 submissions of a team are ranked" in client.get(address).content.decode()
    client.post(f"{address}decide/", {"decision": "choose"})
    page = client.get(address).content.decode()
    assert "This submission counts (method 1): your team chose it." in page
    assert "Undo the choice" in page
    client.post(f"{address}decide/", {"decision": "take_back"})
    assert not submission(2).is_chosen


def test_names_that_are_not_public_stay_so_for_every_method_and_the_bundle_verifies(made, tmp_path):
    Phase.objects.filter(slug="open").update(announcement=Phase.Announcement.AGREED)
    made.phases["open"].refresh_from_db()
    for number in (1, 2):
        choose(submission=submission(number), actor=made.people["member"])
    found = ranks(made)
    pseudonym = Pseudonym.objects.get(team=made.teams["Ada"], phase=made.phases["open"]).word
    assert {f"{pseudonym} (method 1)", f"{pseudonym} (method 2)"} < set(found)
    version = RankingVersion.objects.latest("number")
    assert (f"{pseudonym} (method 1)", "Ada") in names.pseudonyms_in(version)
    assert names.names_of_teams(made.phases["open"])[made.teams["Ada"].pk] == pseudonym
    client = Client()
    client.force_login(made.people["organizer"])
    file = tmp_path / "bundle.zip"
    answer = client.get(reverse("leaderboards:bundle", args=["liver", "open", version.number]))
    file.write_bytes(b"".join(answer.streaming_content))
    assert bundle.verify(file, digest=version.digest).same


def test_several_methods_need_the_teams_choice_in_the_database_too(made):
    with pytest.raises(IntegrityError), transaction.atomic():
        Phase.objects.filter(slug="open").update(counts=Phase.Counts.LAST)
