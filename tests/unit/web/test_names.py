"""Names are welcome in every script; what is invisible, turns text around or poses as another name is refused."""

import unicodedata

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from web.names import check_characters, clean_name, confusable_with, skeleton, slug_of

WELCOME = [
    "Team Rocket",
    "فريق الرؤية",  # Arabic
    "می‌خواهم",  # Persian: with a zero-width non-joiner
    "צוות ירושלים",  # Hebrew
    "हिन्दी टीम",  # Hindi
    "क्‍ष",  # Hindi: joiner after a virama
    "醫學影像團隊",  # Chinese
    "ทีมแพทย์",  # Thai
    "İstanbul Işık Ğ",  # Turkish
    "Đội Hà Nội",  # Vietnamese, composed or not
    "Команда Ω 7",
    "Équipe n° 1 – “β”",
    "👩‍🔬 Lab",  # an emoji of two, joined
    "👩🏽‍⚕️ ward",
    "❤️ team",
]
REFUSED = {
    "a\u202eb": "direction",
    "a\u2066b": "direction",
    "Team\u200bOne": "invisible character",
    "Team\u200dOne": "invisible character",
    "Team\u200cOne": "invisible character",
    "Team\u2060One": "invisible character",
    "Team\ufeffOne": "invisible character",
    "Team\u00adOne": "invisible character",
    "Team\u200eOne": "invisible character",
    "Team\u3164One": "invisible character",
    "Team\U000e0041": "invisible character",
    "Team\ufe0f": "invisible character",
    "Team\ue000": "invisible character",
    "Team\ufdd0b": "control",
    "a\x00b": "control",
    "a\x1b[31mb": "control",
    "a\x85b": "control",
    "a\ud800b": "control",
    "a" + "\u0301" * 9: "marks",
    "!!!": "letter",
}


@pytest.mark.parametrize("name", WELCOME)
def test_every_script_is_welcome(name):
    assert clean_name(name) == unicodedata.normalize("NFC", name)
    assert slug_of(name, otherwise="team", length=90).isascii()
    assert len(slug_of(name, otherwise="team", length=90)) >= 2 or name == "❤️ team"


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_what_nobody_sees_is_refused_with_its_code_point(name, reason):
    # A line break of any kind that stands between words becomes a space.
    with pytest.raises(ValidationError, match=reason):
        clean_name(name) if reason == "letter" else check_characters(name)


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("Теаm One", "Team One"),  # Cyrillic Т, е, а
        ("PaypaI", "Paypal"),
        ("rnodel", "model"),
        ("TEAM ONE", "Team One"),
        ("Τeam", "Team"),  # Greek capital tau
        ("𝐓eam", "Team"),
        ("Ｔｅａｍ", "Team"),
        ("Team  One", "Team One"),
        ("Équipe", "E\u0301quipe"),
    ],
)
def test_a_name_that_looks_like_a_taken_one_is_found(name, taken):
    assert confusable_with(name, ["Another", taken]) == taken


@pytest.mark.parametrize(
    ("name", "taken"), [("Team One", "Team Two"), ("Équipe", "Equipe"), ("東京", "大阪"), ("טים", "טיס")]
)
def test_names_that_differ_stand_beside_each_other(name, taken):
    assert confusable_with(name, [taken]) is None


def test_names_that_ascii_cannot_say_get_different_addresses():
    assert slug_of("Team 東京", otherwise="team", length=90) != slug_of("Team 大阪", otherwise="team", length=90)
    assert slug_of("Équipe", otherwise="team", length=90) == "equipe"
    assert len(slug_of("東" * 80, otherwise="team", length=90)) <= 90
    assert slug_of("!!", otherwise="team", length=90) == ""


@given(st.text(max_size=30))
def test_a_cleaned_name_is_clean_and_its_skeleton_stands(text):
    try:
        name = clean_name(text)
    except ValidationError:
        return
    assert clean_name(name) == name
    assert skeleton(skeleton(name)) == skeleton(name)
