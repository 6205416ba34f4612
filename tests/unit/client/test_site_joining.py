"""Two folders on one table: a site with four cases hands its results to one with twelve, and a key that is replaced."""

import base64
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from podium_client.cli import main

from evaluation.assessment import parse
from evaluation.cli.inputs import read_results
from evaluation.federation import summarise
from tests.unit.client.test_site import ALGORITHMS, ASSESSMENT, EXAMPLE, Centre

CASES = sorted(path.name.partition(".")[0] for path in (EXAMPLE / "references").iterdir())
SHARES = {"north": CASES[:12], "tiny": CASES[12:16]}
JOIN = {"site_column": "site", "minimum_units": 10, "disclosure": "moments", "replicates": 200, "small_sites": "join"}


class World:
    """Folders of sites of one challenge, under one rule for small ones."""

    def __init__(self, home: Path, capsys, rules=JOIN):
        self.home, self.capsys = home, capsys
        self.centre = Centre(home / "centre")
        self.package = self.centre.package(rules=rules)

    def podium(self, site, *words):
        folder = [] if words[0] == "join" else ["--folder", str(self.home / site)]
        code = main(["site", *map(str, words), *folder])
        said = self.capsys.readouterr()
        return code, said.out + said.err

    def done(self, site, *words):
        code, said = self.podium(site, *words)
        assert code == 0, said
        return said

    def join(self, site):
        folder = self.home / site
        self.done(site, "join", self.centre.invitation(site=site), folder, "--confirmed-by", "Dr. A", "--yes")
        self.done(site, "fetch", "--from", self.package)
        for case in SHARES[site]:
            shutil.copy(EXAMPLE / "references" / f"{case}.nii.gz", folder / "cases" / "references")
            for algorithm in ALGORITHMS:
                (folder / "predictions" / algorithm).mkdir(exist_ok=True)
                shutil.copy(EXAMPLE / "predictions" / algorithm / f"{case}.nii.gz", folder / "predictions" / algorithm)
        return folder

    def hand_over(self, *, to="north"):
        """Do all steps of tiny up to the file for north."""
        recipient = self.done("north", "status", "--recipient").strip()
        self.done("tiny", "seal")
        self.done("tiny", "run")
        path = self.home / "for-north.age"
        return path, self.podium("tiny", "hand-over", "--to", to, "--recipient", recipient, "--output", path)


def signed(folder):
    """Kinds and contents of all messages of a folder."""
    found = [
        json.loads(base64.b64decode(json.loads(p.read_text())["payload"]))
        for p in sorted((folder / "outbox").iterdir())
    ]
    return {message["schema"].split(".")[1].split("/")[0]: message for message in found}


@pytest.fixture
def world(tmp_path, capsys):
    made = World(tmp_path, capsys)
    made.north, made.tiny = made.join("north"), made.join("tiny")
    return made


def test_one_summary_is_made_over_both_and_is_that_of_all_cases(world):
    path, (code, said) = world.hand_over()
    assert code == 0, said
    assert set(signed(world.tiny)) == {"site-registration", "site-hand-over"}  # neither a seal nor a number of cases
    assert not [case for case in SHARES["tiny"] if case.encode() in path.read_bytes()]
    assert "Took in the results of site tiny" in world.done("north", "take-in", path)
    kept = (world.north / "guests" / "tiny.json").read_text()
    assert not [case for case in SHARES["tiny"] if case in kept]
    assert "Sealed 16 cases" in world.done("north", "seal")
    world.done("north", "run")
    preview = world.done("north", "summary")
    assert "units        16" in preview
    assert "with         the cases of tiny" in preview
    digest = preview.split("digest       ")[1].splitlines()[0]
    world.done("north", "send", "--digest", digest, "--output", world.home / "out.json")
    result = signed(world.north)["result"]
    assert result["with"] == signed(world.north)["manifest-seal"]["with"] == ["tiny"]
    tables = [read_results(sorted((folder / "results").glob("*.csv")), {}) for folder in (world.north, world.tiny)]
    both = pd.concat(tables, ignore_index=True)
    cases = pd.DataFrame({"case": sorted(set(both["case"])), "site": "north", "quality": "acceptable"})
    central = summarise(parse(ASSESSMENT), both, site="north", cases=cases)
    for own, theirs in zip(result["summary"]["rankings"], central["rankings"], strict=True):
        assert [cell["sum"] for cell in own["cells"]] == [cell["sum"] for cell in theirs["cells"]]


def test_a_small_site_makes_no_summary_of_its_own_and_joins_once(world):
    path, _ = world.hand_over()
    code, said = world.podium("tiny", "summary")
    assert (code, "too few cases" in said) == (2, True)
    recipient = world.done("north", "status", "--recipient").strip()
    words = ("--recipient", recipient, "--output", world.home / "again.age")
    code, said = world.podium("tiny", "hand-over", "--to", "east", *words)
    assert (code, "once is all" in said) == (2, True)
    world.done("tiny", "hand-over", "--to", "north", *words)
    assert (world.home / "again.age").read_bytes() == path.read_bytes()  # one seal of one document


def test_next_says_what_a_small_site_needs_from_the_other_one(world):
    world.done("tiny", "check")
    world.done("tiny", "send", "--output", world.home / "1.json")
    for message in (world.tiny / "outbox").iterdir():
        (world.tiny / "receipts" / f"{message.name[:4]}.json").write_text("{}")  # as if the centre had answered
    world.done("tiny", "seal")
    world.done("tiny", "run")
    assert "The other site says its name" in world.done("tiny", "next")


def test_nothing_is_taken_in_after_the_seal_nor_by_another_site(world):
    path, _ = world.hand_over()
    code, said = world.podium("tiny", "take-in", path)
    assert code == 2
    changed = world.home / "changed.age"
    changed.write_bytes(path.read_bytes()[:-1] + b"x")
    code, said = world.podium("north", "take-in", changed)
    assert (code, "was changed on its way" in said) == (2, True)
    world.done("north", "seal")
    code, said = world.podium("north", "take-in", path)
    assert (code, "would tell how many came" in said) == (2, True)


def test_a_site_with_enough_cases_hands_nothing_over(world):
    recipient = world.done("tiny", "status", "--recipient").strip()
    world.done("north", "seal")
    code, said = world.podium(
        "north", "hand-over", "--to", "tiny", "--recipient", recipient, "--output", world.home / "x.age"
    )
    assert (code, "enough cases" in said) == (2, True)


def test_two_small_sites_make_no_large_one(world):
    """A site that takes in others must have enough cases alone.

    Otherwise the sums would cover only a few cases of each site.
    """
    path, _ = world.hand_over()
    for case in SHARES["north"][5:]:
        (world.north / "cases" / "references" / f"{case}.nii.gz").unlink()
    world.done("north", "take-in", path)
    code, said = world.podium("north", "seal")
    assert (code, "takes none in" in said) == (2, True)


def test_where_the_rule_leaves_small_sites_out_they_join_nobody(tmp_path, capsys):
    made = World(tmp_path, capsys, {**JOIN, "small_sites": "refuse"})
    made.join("tiny")
    code, said = made.podium("tiny", "seal")
    assert (code, "rule is to leave it out" in said) == (2, True)


def test_a_new_key_keeps_cases_and_results_and_signs_again_what_nobody_received(world):
    world.done("north", "seal")
    world.done("north", "run")
    before = json.loads(world.done("north", "status", "--json"))["fingerprint"]
    again = world.centre.invitation(site="north", invitation="1" * 32)
    said = world.done("north", "new-key", again, "--confirmed-by", "Dr. B", "--yes")
    after = json.loads(world.done("north", "status", "--json"))["fingerprint"]
    assert after != before
    assert after in said
    found = signed(world.north)
    assert list(found) == ["site-registration", "manifest-seal", "site-progress"]
    assert [message["sequence"] for message in found.values()] == [1, 2, 3]
    assert found["site-registration"]["invitation"] == "1" * 32
    assert found["manifest-seal"]["manifest"] == json.loads((world.north / "sealed.json").read_text())["manifest"]
    assert (world.north / "former-keys" / "01" / "key.pem").is_file()
    assert "units        12" in world.done("north", "summary")


def test_the_invitation_of_another_site_replaces_no_key(world):
    before = (world.north / "key.pem").read_bytes()
    code, said = world.podium("north", "new-key", world.centre.invitation(site="tiny"), "--confirmed-by", "A", "--yes")
    assert (code, "another site" in said) == (2, True)
    assert (world.north / "key.pem").read_bytes() == before
