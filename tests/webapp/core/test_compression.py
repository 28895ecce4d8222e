"""Compression of answers for a browser, and the answers that it may cache."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from whitenoise import compress

from tests.webapp.conftest import Person
from webapp.core.http.assets import BuiltFiles, built_page

READS_GZIP = {"accept-encoding": "gzip, deflate"}
READS_ALL = {"accept-encoding": "gzip, deflate, br"}


def test_answers_of_the_api_are_compressed_for_who_reads_that(alice: Person, binding: dict[str, Any]) -> None:
    plain = alice.get("bindings/")
    assert not plain.has_header("Content-Encoding")
    answered = alice.client.get(alice.url("bindings/"), headers=READS_GZIP)
    assert (answered["Content-Encoding"], "Accept-Encoding" in answered["Vary"]) == ("gzip", True)
    assert gzip.decompress(answered.content) == plain.content
    assert len(answered.content) < len(plain.content)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/_allauth/browser/v1/config", "/", "/api/nothing/"])
def test_answers_that_may_contain_a_secret_are_not_compressed(path: str) -> None:
    assert not Client().get(path, headers=READS_GZIP).has_header("Content-Encoding")


LISTS = ("bindings/", "runs/", "streams/", "queries/", "members/", "kept/")


def test_a_page_that_watches_lists_that_do_not_change_is_sent_no_body_again(scene: Any) -> None:
    scene.running().progress(3)
    scene.turn()
    for path in LISTS:
        first = scene.person.client.get(scene.person.url(path), headers=READS_GZIP)
        assert first.status_code == 200
        again = scene.person.client.get(scene.person.url(path), headers={**READS_GZIP, "if-none-match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert sum(len(f"{name}: {value}\r\n") for name, value in again.items()) < 900


def test_a_changed_list_is_sent_and_a_stranger_gets_an_error(scene: Any, charlie: Person) -> None:
    address = scene.person.url("bindings/")
    tag = {"if-none-match": scene.person.client.get(address)["ETag"]}
    assert charlie.client.get(address, headers=tag).status_code == 404
    scene.running()
    assert scene.person.client.get(address, headers=tag).status_code == 200


def test_lists_of_runs_hold_no_rows(scene: Any) -> None:
    scene.running().progress(3, rows=1)
    scene.turn()
    assert scene.run.progress["recent_results"] != []
    (shown,) = scene.person.get("runs/").json()
    assert (shown["progress"]["results"], shown["progress"]["recent_results"]) == (7, [])


def test_a_secret_that_is_shown_once_is_not_compressed(alice: Person) -> None:
    body = {"name": "ci", "role": "viewer", "expires_in_days": 1}
    answered = alice.client.post(alice.url("tokens/"), body, content_type="application/json", headers=READS_GZIP)
    assert answered.status_code == 201, answered.content
    assert not answered.has_header("Content-Encoding")


def test_an_event_stream_comes_as_it_is_made(scene: Any) -> None:
    headers = {**READS_GZIP, "accept": "text/event-stream"}
    answered = scene.person.client.get(scene.person.url(f"runs/{scene.run_id}/events/"), headers=headers)
    assert (answered.streaming, answered.has_header("Content-Encoding")) == (True, False)


@pytest.mark.parametrize(("accepts", "encoding"), [(READS_ALL, "br"), (READS_GZIP, "gzip"), ({}, None)])
def test_built_scripts_come_as_they_were_compressed_and_are_kept(
    tmp_path: Path, settings: Any, rf: Any, accepts: dict[str, str], encoding: str | None
) -> None:
    script = tmp_path / "assets" / "index-Ab12Cd34.js"
    script.parent.mkdir()
    script.write_text("export const words = 'the same again';\n" * 500)
    assert compress.main(["--quiet", str(tmp_path)]) == 0
    settings.WHITENOISE_ROOT = tmp_path
    served = BuiltFiles(lambda _: None)(rf.get("/assets/index-Ab12Cd34.js", headers=accepts))
    assert served.headers.get("Content-Encoding") == encoding
    assert (len(served.content) < 1_000) == (encoding is not None)
    assert "immutable" in served.headers["Cache-Control"]


def test_a_build_under_a_running_server_takes_nothing_away(tmp_path: Path, settings: Any, rf: Any) -> None:
    """The files that were built when the server started are served until it restarts, whole and of one build."""
    (tmp_path / "assets").mkdir()
    script, page = tmp_path / "assets" / "index-Ab12Cd34.js", tmp_path / "index.html"
    script.write_text("export const number = 1;\n")
    page.write_text("<!doctype html><title>Before</title>")
    settings.WHITENOISE_ROOT = settings.FRONTEND = tmp_path
    files = BuiltFiles(lambda _: None)
    script.unlink()
    page.write_text("<!doctype html><title>Half wri")
    assert files(rf.get("/assets/index-Ab12Cd34.js")).content == b"export const number = 1;\n"
    part = files(rf.get("/assets/index-Ab12Cd34.js", headers={"range": "bytes=0-5"}))
    assert (part.status_code, part.content) == (206, b"export")
    assert Client().get("/sign-in").content == b"<!doctype html><title>Before</title>"
    page.unlink()
    assert Client().get("/sign-in").status_code == 200
    assert built_page(tmp_path / "not-built") is None


def test_files_of_packages_are_served_and_read_once_in_the_life_of_a_process(rf: Any) -> None:
    first, second = BuiltFiles(lambda _: None), BuiltFiles(lambda _: None)
    style = next(each for each in first.files if each.endswith("admin/css/base.css"))
    assert first(rf.get(style)).status_code == 200
    assert second.files[style] is first.files[style]
