"""No address gets through, and nothing but addresses is taken."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from registry.domain.public_documents import publication, without_contacts

LOCAL = st.from_regex(r"[a-z][a-z0-9.+_-]{0,12}[a-z0-9]", fullmatch=True)
DOMAIN = st.from_regex(r"[a-z0-9]{1,10}(\.[a-z]{2,6}){1,2}", fullmatch=True)
PLAIN = st.text(alphabet="abcdefghij ,.;:()[]{}0123456789%/-", max_size=40)


@settings(max_examples=50)
@given(PLAIN, LOCAL, DOMAIN, PLAIN)
def test_an_address_anywhere_in_a_text_is_left_out(before, local, domain, after):
    text = without_contacts(f"{before} {local}@{domain} {after}")
    assert "@" not in text
    assert f"{local}@" not in text


@settings(max_examples=50)
@given(PLAIN)
def test_a_text_without_an_address_stays(text):
    assert without_contacts(text) == text


@settings(max_examples=50)
@given(st.recursive(st.text(max_size=20) | st.just("a@b.org"), lambda inner: st.lists(inner, max_size=3), max_leaves=8))
def test_addresses_are_found_at_every_depth(value):
    data = {"schema": 1, "catalogue": "1.0.0", "challenge": {"challenge_keywords": value}, "tasks": []}
    assert "a@b.org" not in json.dumps(publication(data, {}).document)
