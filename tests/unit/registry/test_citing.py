"""Citations stay valid for any input: no text ends a field, starts another, or breaks the file."""

import json
import re
from datetime import date

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.models import Deposit
from registry.queries.citing import Author, Reference, as_xml, bibtex, cff, metadata, reference_of, ris, sentence
from tests.unit.registry.world import frozen, person, registered, save

TEXT = st.text(max_size=60)
NAME = st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=40).filter(lambda text: text.strip())


def reference(**facts):
    return Reference(
        **{
            "identifier": "podium-2026-0001",
            "version": "1.0",
            "title": "A title",
            "authors": (Author("Ada Lovelace", "University"),),
            "published": date(2026, 3, 1),
            "publisher": "Podium",
            "address": "https://podium.example.org/registry/podium-2026-0001/v1.0/",
            "digest": "ab" * 32,
            **facts,
        }
    )


references = st.builds(
    reference,
    title=TEXT.filter(str.strip),
    abstract=TEXT,
    authors=st.lists(st.builds(Author, NAME, TEXT), min_size=1, max_size=3).map(tuple),
)


@settings(max_examples=40)
@given(references)
def test_bibtex_braces_balance_and_no_character_is_a_command(made):
    text = bibtex(made)
    depth = 0
    for character in text:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    assert text.count("\n@") == 0
    assert text.startswith("@misc{podium-2026-0001-v1-0,\n")
    # One line a field: nothing that was written adds a field.
    names = re.findall(r"^  ([a-z]+) = \{", text, re.MULTILINE)
    assert names == ["author", "title", "year", "month", "version", "howpublished", "publisher", "url", "note"]
    title = re.search(r"^  title = \{\{(.*)\}\},$", text, re.MULTILINE)[1]
    commands = r"\\(?:textbackslash|textbraceleft|textbraceright|textasciitilde|textasciicircum)\{\}|\\[$&%#_]"
    assert not re.search(r"[\\{}$&%#_~^]", re.sub(commands, "", title))


def test_bibtex_names_are_one_person_each():
    text = bibtex(reference(authors=(Author("Ada King Lovelace"), Author("Sand and Gravel Group"), Author("Plato"))))
    assert "author = {Lovelace, Ada King and {Sand and Gravel Group} and {Plato}}" in text


@settings(max_examples=40)
@given(references)
def test_ris_has_one_field_a_line(made):
    lines = ris(made).split("\r\n")
    assert lines[0] == "TY  - GEN"
    assert lines[-2:] == ["ER  - ", ""]
    assert all(re.fullmatch(r"[A-Z][A-Z0-9]  - .*", line) for line in lines[:-1])
    assert sum(line.startswith("AU  - ") for line in lines) <= len(made.authors)
    assert sum(line.startswith("TY  - ") for line in lines) == 1


@settings(max_examples=40)
@given(references)
def test_cff_is_yaml_that_says_what_was_written(made):
    data = yaml.safe_load(cff(made))
    assert data["cff-version"] == "1.2.0"
    assert data["version"] == "1.0"
    assert data["date-released"] == "2026-03-01"
    assert len(data["authors"]) == len(made.authors)
    assert set(data) <= {
        "cff-version", "message", "type", "title", "version", "date-released", "url", "abstract", "authors", "identifiers",
    }  # fmt: skip
    assert data["identifiers"][0] == {"type": "other", "value": "podium-2026-0001"}


def test_words_survive_cff_and_ris():
    made = reference(title='The "best" #1: 50 % of {A_1} – naïve & co', authors=(Author("Łukasz O'Brien-Müller"),))
    assert yaml.safe_load(cff(made))["title"] == made.title
    assert f"TI  - {made.title}\r\n" in ris(made)
    assert "AU  - O'Brien-Müller, Łukasz" in ris(made)


@pytest.mark.django_db
class TestOfVersions:
    @pytest.fixture
    def version(self):
        return registered(person("ada"))

    def test_the_reference_is_that_of_the_version(self, version):
        made = reference_of(version)
        assert made.authors == (Author("Ada Lovelace", "University of Examples"),)
        assert made.title == "Hippocampus segmentation challenge: registered challenge design"
        assert version.registration.identifier in sentence(made)

    def test_datacite_satisfies_its_schema_and_becomes_xml(self, version):
        data = metadata(version, reference_of(version))
        assert data["types"]["resourceTypeGeneral"] == "StudyRegistration"
        assert data["creators"][0]["familyName"] == "Lovelace"
        assert "@" not in json.dumps({key: value for key, value in data.items() if key != "alternateIdentifiers"})
        assert '<creatorName nameType="Personal">Lovelace, Ada</creatorName>' in as_xml(data)

    def test_datacite_that_does_not_satisfy_its_schema_is_refused(self, version):
        with pytest.raises(ValueError, match="Not DataCite"):
            metadata(version, reference(authors=()))

    def test_a_doi_comes_with_its_deposit(self, version):
        Deposit.objects.create(
            version=version,
            state="published",
            doi="10.5281/zenodo.2",
            concept_doi="10.5281/zenodo.1",
            published_at=version.registered_at,
        )
        made = reference_of(version)
        assert "https://doi.org/10.5281/zenodo.2" in sentence(made)
        assert "doi = {10.5281/zenodo.2}" in bibtex(made)
        data = metadata(version, made)
        assert data["doi"] == "10.5281/zenodo.2"
        assert {"IsVersionOf"} == {row["relationType"] for row in data["relatedIdentifiers"]}

    def test_without_a_named_team_the_organizers_are_the_author(self):
        ada = person("bo")
        made = frozen(ada).design
        save(made, "organizing_team", None)
        from registry.services import register_design

        version = register_design(design=made, actor=ada, by_system=True)
        assert reference_of(version).authors == (
            Author("Organizers of Hippocampus segmentation challenge", is_group=True),
        )
        assert metadata(version, reference_of(version))["creators"][0]["nameType"] == "Organizational"
