"""Signatures agree with the published example, and every event belongs to an act that the platform records."""

import ast
import base64
import re

from django.conf import settings

from challenges.webhooks.domain.events import BY_ID, CALL_EVENTS, CHALLENGE_EVENTS, TEST, acts_of
from challenges.webhooks.domain.messages import secret_text, signature
from reviews.models.states import State
from tests.sources import nodes


def test_the_signature_of_the_published_example():
    """Example of https://github.com/standard-webhooks/standard-webhooks, in the tests of its libraries."""
    secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    key = base64.b64decode(secret)
    value = signature(
        key, message_id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330, body=b'{"test": 2432232314}'
    )
    assert value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert secret_text(key) == f"whsec_{secret}"


def recorded_acts():
    """Names of acts in the sources: texts of the keyword `act`, and constants with such names."""
    acts = {f"filing_{state}" for state in State}
    for path in (settings.ROOT / "platform").rglob("*.py"):
        if "webhooks" in path.parts or "migrations" in path.parts:
            continue
        for node in nodes(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[a-z_]+", node.value):
                acts.add(node.value)
    return acts


def test_every_event_belongs_to_an_act_that_is_recorded():
    assert acts_of(BY_ID) <= recorded_acts()
    assert all(event.acts for event in (*CHALLENGE_EVENTS, *CALL_EVENTS))


def test_no_act_is_two_events_and_ids_have_one_form():
    acts = [act for event in (*CHALLENGE_EVENTS, *CALL_EVENTS) for act in event.acts]
    assert len(acts) == len(set(acts))
    assert all(re.fullmatch(r"[a-z_]+\.[a-z]+", name) for name in BY_ID)


def test_the_help_lists_every_event():
    text = (settings.ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")
    for event in BY_ID.values():
        if event is not TEST:
            assert f"| `{event.id}` | {event.text} |" in text
