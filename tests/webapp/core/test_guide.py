"""The guide and the grammar of SQL as Markdown, for programs."""

import re

from django.test import Client

from tests.webapp.conftest import Person
from webapp.core.guide import FOLDER, sql_page


def test_all_pages_have_names_titles_and_texts(alice: Person) -> None:
    pages = alice.client.get("/api/guide/").json()
    assert [each["name"] for each in pages[:2]] == ["README", "sql"]
    assert {each["name"] for each in pages} == {path.stem for path in FOLDER.glob("*.md")} | {"sql"}
    assert {each["name"]: each["title"] for each in pages}["README"] == "The operators"
    assert all(each["text"] and each["title"] for each in pages)


def test_the_guide_requires_a_sign_in_like_other_addresses_of_the_api(db: None) -> None:
    assert Client().get("/api/guide/").status_code == 401


def test_the_example_of_the_grammar_is_valid(alice: Person, cars: object) -> None:
    [example] = re.findall(r"```sql\n(.*?)```", sql_page(), re.DOTALL)
    checked = alice.post("queries/validate/", {"text": example}).json()
    assert checked["faults"] == []


def test_the_grammar_has_every_window_and_setting(alice: Person) -> None:
    text = sql_page()
    for words in ("HOP size,hop", "SESSION gap", "LATE DROP | ADJUST | SHIFT | KEEP", "ASOF JOIN", "MATCH_RECOGNIZE"):
        assert words in text
