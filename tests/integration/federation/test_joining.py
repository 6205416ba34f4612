"""Small sites under the registered rule: excluded, or joined with another site.

A joined site sends one summary for both.
"""

import numpy as np
import pytest
from django.test import Client

from challenges.services import close_phase
from datastore.uploads.storage import load_json
from evaluation.federation import Refusal
from federation.models import Refused, Site
from federation.queries.standing import standings
from federation.services import sites
from leaderboards.models import RankingVersion
from tests.integration.federation.sender import Sender
from tests.integration.federation.test_rules import centre_with, places

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Rules are computed from messages. `test_roles.py` and `test_refusals.py` store messages on both databases."
    ),
]


def joined(centre, *, host="north"):
    """North seals with tiny, which has signed that it joins north; returns both."""
    centre.invite("tiny")
    centre.invite(host)
    tiny = Sender(centre, "tiny", 4)
    tiny.register()
    north = Sender(centre, host, 24, seed=3)
    north.register()
    hand_over(tiny, host)
    grades = {"acceptable": 24, "borderline": 0, "insufficient": 0}
    north.send("manifest-seal", manifest="a" * 64, version=1, units=24, cases=24, grades=grades, **{"with": ["tiny"]})
    return tiny, north


def hand_over(sender, to):
    package = sender.centre.federation.packages.latest("version").digest
    return sender.send("site-hand-over", package=package, to=to, document="e" * 64)


def refused(act):
    with pytest.raises(Refusal) as caught:
        act()
    assert Refused.objects.latest("pk").code == caught.value.code
    return caught.value.code, str(caught.value)


def test_small_sites_join_nobody_where_the_rule_leaves_them_out(workers):
    centre = centre_with({"small_sites": "refuse"})
    centre.invite("north")
    Sender(centre, "north").register()
    centre.invite("tiny")
    tiny = Sender(centre, "tiny", 4)
    tiny.register()
    code, said = refused(lambda: hand_over(tiny, "north"))
    assert (code, "the registered rule is to leave them out" in said) == ("joining", True)
    assert "are left out" in Client().get("/challenges/hippo/sites/").content.decode()


def test_a_small_site_joins_another_one_and_the_ranking_is_that_of_all_cases(workers):
    centre = centre_with({"small_sites": "join"})
    _, north = joined(centre)
    Sender(centre, "south", 20, seed=2).sent()
    states = {row.site.name: row.state for row in standings(centre.federation)}
    assert states == {"north": "ready", "south": "sent", "tiny": "joined"}
    result = north.result()
    code, said = refused(lambda: north.send("result", **result))
    assert (code, "other sites that joined" in said) == ("other_manifest", True)
    north.send("result", **result, **{"with": ["tiny"]})
    page = Client().get("/challenges/hippo/sites/").content.decode()
    assert "north with tiny" in page
    close_phase(actor=centre.organizer, phase=centre.phase)
    document = load_json(RankingVersion.objects.get().document_name)
    assert places(document) == {"north": "included", "south": "included", "tiny": "joined"}
    assert [row["units"] for row in document["pooled"]["sites"]] == [24, 20, None]
    assert np.all([entry["cases"] == 44 for entry in document["rankings"]])
    shown = Client().get("/challenges/hippo/leaderboard/final/sites/").content.decode()
    assert "its cases are in the sums of site north" in shown
    assert "All sites are included." in shown


def test_a_small_site_goes_where_the_one_goes_that_it_joined(workers):
    centre = centre_with({"small_sites": "join", "if_missing": "rank_without"})
    tiny, north = joined(centre)
    north.send("result", **north.result(), **{"with": ["tiny"]})
    Sender(centre, "south", 20, seed=2).sent()
    code, said = refused(lambda: tiny.send("site-withdrawal", reason="", results="remove"))
    assert (code, "cannot be taken apart" in said) == ("joining", True)
    close_phase(actor=centre.organizer, phase=centre.phase)
    sites.leave_out(actor=centre.organizer, site=Site.objects.get(name="north"), reason="its scanner was wrong")
    document = load_json(RankingVersion.objects.latest("number").document_name)
    assert places(document) == {"north": "left_out", "south": "included", "tiny": "left_out"}


def test_nobody_counts_a_site_in_that_has_not_signed(workers):
    centre = centre_with({"small_sites": "join"})
    for name in ("north", "tiny", "south"):
        centre.invite(name)
    north, tiny, south = (Sender(centre, name) for name in ("north", "tiny", "south"))
    for sender in (north, tiny, south):
        sender.register()
    grades = {"acceptable": 20, "borderline": 0, "insufficient": 0}
    seal = {"manifest": "a" * 64, "version": 1, "units": 20, "cases": 20, "grades": grades, "with": ["tiny"]}
    code, said = refused(lambda: north.send("manifest-seal", **seal))
    assert (code, "has not signed that it joined" in said) == ("joining", True)
    assert refused(lambda: hand_over(tiny, "tiny"))[0] == "joining"
    assert refused(lambda: hand_over(tiny, "nowhere"))[0] == "joining"
    hand_over(tiny, "north")
    assert refused(lambda: hand_over(tiny, "south"))[0] == "joining"
    assert refused(lambda: hand_over(south, "tiny"))[0] == "joining"
    assert refused(lambda: south.send("manifest-seal", **seal))[0] == "joining"
    north.send("manifest-seal", **seal)
