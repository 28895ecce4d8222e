"""No secret is in an event, whatever was pasted where; a state that is too large says so."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.webapp.audit.conftest import every_event
from tests.webapp.conftest import POINTS, Person, graph
from webapp.audit.changes import difference
from webapp.audit.models import AuditEvent
from webapp.audit.recording import Target, record
from webapp.audit.redaction import MOST_BYTES, safe_state, safe_text
from webapp.core.context import Actor, acting

PLANTED = "planted-secret-5f1e"
TOKEN = f"pct_0123456789ab_{'0a' * 32}"
INVITATION = f"inv_0123456789ab_{'0b' * 32}"
SEALED = "gAAAAABnQ" + "x" * 60
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


def download(token: Any, url: str = "https://data.example/cars.jsonl") -> dict[str, Any]:
    options = {"url": url, "format": "json_lines", "token": token}
    return {"name": "far", "definition": POINTS, "adapter": {"kind": "download", "options": options}}


def test_a_secret_of_a_connection_is_in_no_event(alice: Person) -> None:
    made = alice.post("streams/", download(PLANTED))
    assert made.status_code == 201, made.content
    path = f"streams/{made.json()['id']}/"
    assert alice.put(path, download(f"{PLANTED}-2")).status_code == 200
    assert alice.client.delete(alice.url(path)).status_code == 204
    created, replaced, deleted = [each for each in every_event() if each.area == "stream"]
    assert created.after["adapter"]["options"]["token"] == {"sealed": True}
    assert (replaced.before, replaced.after) == ({}, {"secrets_replaced": ["token"]})
    assert deleted.before["adapter"]["options"]["token"] == {"sealed": True}
    written = json.dumps([vars(each) for each in every_event()], default=str)
    assert PLANTED not in written
    assert "gAAAA" not in written


def test_a_token_in_a_comment_is_not_kept(alice: Person, cars: dict[str, Any]) -> None:
    assert alice.post("queries/", {"graph": graph(), "comment": f"with {TOKEN}."}).status_code == 201
    [event] = [each for each in every_event() if each.action == "query.created"]
    assert event.after["comment"] == "with pct_0123456789ab_…."


@pytest.mark.parametrize("secret", [TOKEN, INVITATION, SEALED])
@pytest.mark.parametrize("around", ["{}", "a {} b", "Bearer {}", "x={};", "“{}”"])
def test_what_looks_like_a_secret_of_ours_is_concealed(secret: str, around: str) -> None:
    safe = safe_text(around.format(secret))
    assert secret[-20:] not in safe
    assert safe_state({"a": [{"b": around.format(secret)}], around.format(secret): 1}) == {"a": [{"b": safe}], safe: 1}


def test_a_sealed_value_is_shown_as_its_placeholder() -> None:
    assert safe_state({"token": {"sealed": "whatever"}}) == {"token": {"sealed": True}}


@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_what_is_no_secret_stays_as_it_is(state: dict[str, Any]) -> None:
    assert safe_state(state) == state


def test_texts_that_no_database_accepts_are_repaired(in_acme: None) -> None:
    with acting(Actor("system", None, "nul \0 and \ud800")):
        record("a.b", target=Target("t", None, "\0" * 300), after={"x\0": "\ud800"})
    event = AuditEvent.objects.get()
    assert (event.actor_label, event.target_label, event.after) == ("nul � and ?", "�" * 254, {"x�": "?"})


def test_a_state_that_is_too_large_says_its_size_and_digest() -> None:
    fits = {"text": "x" * (MOST_BYTES - len('{"text":""}'))}
    assert safe_state(fits) == fits
    large = {"text": fits["text"] + "y"}
    written = json.dumps(large, separators=(",", ":")).encode()
    assert safe_state(large) == {
        "left_out": "Left out: 65,537 bytes, more than the 65,536 that an event keeps. Open the object itself.",
        "bytes": 65_537,
        "sha256": hashlib.sha256(written).hexdigest(),
    }


def test_a_change_keeps_only_what_differs() -> None:
    before = {"name": "cars", "definition": {"fields": {"a": 1, "b": 2}, "late": "drop"}, "list": [1, 2]}
    after = {"name": "cars", "definition": {"fields": {"a": 1, "c": 3}, "late": "drop"}, "list": [1], "new": None}
    assert difference(before, after) == (
        {"definition": {"fields": {"b": 2}}, "list": [1, 2]},
        {"definition": {"fields": {"c": 3}}, "list": [1], "new": None},
    )


def patched(state: Any, old: Any, new: Any) -> Any:
    """Return `state` with what `old` says replaced by what `new` says."""
    kept = {name: value for name, value in state.items() if name not in old or name in new}
    for name, value in new.items():
        inside = name in old and isinstance(state.get(name), dict) and isinstance(value, dict)
        kept[name] = patched(state[name], old[name], value) if inside else value
    return kept


STATES = st.dictionaries(st.sampled_from("abc"), JSON | st.dictionaries(st.sampled_from("xy"), JSON), max_size=3)


@given(STATES, STATES)
def test_the_state_after_follows_from_the_one_before_and_the_difference(before: Any, after: Any) -> None:
    old, new = difference(before, after)
    assert patched(before, old, new) == after
    assert difference(before, before) == ({}, {})
