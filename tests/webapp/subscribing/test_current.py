"""The rows that stand, over HTTP: times, keys, pages, tags, errors, rights."""

from typing import Any

from streaming.storage.stored import remove
from tests.webapp.conftest import Person
from tests.webapp.subscribing.conftest import Output, S, provisional, row


def current(output: Output, **parameters: object) -> Any:
    answered = output.person.client.get(output.person.url(output.path("current")), parameters)
    assert answered.status_code == 200, answered.content
    return answered.json()


def plates(page: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["payload"]["plate"], each["payload"]["n"]) for each in page["rows"]]


def problem(output: Output, status: int, **parameters: object) -> tuple[str, str]:
    answered = output.person.client.get(output.person.url(output.path("current")), parameters)
    assert answered.status_code == status, answered.content
    [fault] = answered.json()["faults"] or [{"message": answered.json()["message"], "remedy": ""}]
    return fault["message"], fault["remedy"]


def test_the_rows_that_stand_at_the_cti_are_those_of_the_last_closed_window(output: Output) -> None:
    output.commit(row(0, "A", 1), row(0, "B", 2), cti=10 * S)
    output.commit(row(10, "A", 3), cti=20 * S)
    page = current(output)
    assert plates(page) == [("A", 3)]
    assert (page["as_of"], page["cti"], page["is_final"], page["ended"]) == (20 * S - 1, 20 * S, True, False)
    assert (page["batch"], page["missing_rows"], page["next"]) == (1, 0, None)
    assert page["rows"][0]["id"] == "1-0-0"
    assert page["rows"][0]["run"] == output.run


def test_an_earlier_time_shows_the_rows_of_that_time_and_a_later_one_is_not_final(output: Output) -> None:
    output.commit(row(0, "A", 1), row(0, "B", 2), cti=10 * S)
    output.commit(row(10, "A", 3), provisional(20, "A", 7, 0), cti=20 * S)
    output.commit(provisional(20, "A", 8, 1), cti=20 * S)
    assert plates(current(output, as_of="1970-01-01T00:00:09.999999Z")) == [("A", 1), ("B", 2)]
    assert plates(current(output, as_of=10 * S)) == [("A", 3)]
    later = current(output, as_of=25 * S)
    assert (plates(later), later["is_final"]) == ([("A", 8)], False)


def test_a_key_selects_rows_by_a_field(output: Output) -> None:
    output.commit(row(0, "A:1", 1), row(0, "B", 2), row(0, "A:1", 2), cti=10 * S)
    assert plates(current(output, key="plate:A:1")) == [("A:1", 1), ("A:1", 2)]
    assert plates(current(output, key=["plate:A:1", "n:2"])) == [("A:1", 2)]
    assert plates(current(output, key="plate")) == []


def test_after_the_end_the_last_lifetimes_stand(output: Output) -> None:
    output.commit(row(0, "A", 1), row(10, "B", 2), cti=None)
    page = current(output)
    assert plates(page) == [("B", 2)]
    assert (page["as_of"], page["cti"], page["ended"], page["is_final"]) == (20 * S - 1, None, True, True)


def test_after_the_end_rows_that_were_withdrawn_or_replaced_have_no_last_tick(output: Output) -> None:
    edge = row(40, "E", 1, key="e").model_copy(update={"edge": "start", "end": None})
    output.commit(row(0, "A", 1), row(50, "B", 2), provisional(60, "C", 3, 0), edge)
    output.commit(
        row(50, "B", 2, deleted=True, repair="r"),
        provisional(60, "C", 3, 1).model_copy(update={"deleted": True}),
        edge.model_copy(update={"edge": "end", "end": 40 * S, "deleted": True}),
        cti=None,
    )
    page = current(output)
    assert (plates(page), page["as_of"]) == ([("A", 1)], 10 * S - 1)


def test_pages_show_the_batch_of_the_first_one(output: Output) -> None:
    output.commit(*(row(0, "A", n) for n in range(3)), cti=10 * S)
    first = current(output, limit=2)
    output.commit(row(10, "B", 9), row(0, "C", 9, deleted=False), cti=20 * S)
    second = current(output, limit=2, after=first["next"])
    assert (plates(first), plates(second)) == ([("A", 0), ("A", 1)], [("A", 2)])
    assert (second["as_of"], second["batch"], second["next"]) == (10 * S - 1, 0, None)


def test_all_pages_are_as_final_as_the_first_one(output: Output) -> None:
    output.commit(*(row(0, "A", n) for n in range(2)), cti=2 * S)
    first = current(output, limit=1, as_of=5 * S)
    output.commit(cti=None)
    second = current(output, limit=1, as_of=5 * S, after=first["next"])
    for page in (first, second):
        assert (page["cti"], page["is_final"], page["ended"]) == (2 * S, False, False)


def test_the_tag_changes_with_each_batch_and_with_missing_rows(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    output.commit(cti=10 * S)
    address = output.person.url(output.path("current"))

    def answered(tag: str) -> Any:
        return output.person.client.get(address, headers={"if-none-match": tag})

    tag = answered('"none"')["ETag"]
    assert (answered(tag).status_code, answered(tag).content) == (304, b"")
    assert output.person.client.get(address, {"limit": 1}, headers={"if-none-match": tag}).status_code == 200
    output.commit(cti=10 * S)
    tag = answered(tag)["ETag"]
    assert answered(tag).status_code == 304
    remove(output.folder, "results", 0)
    changed = answered(tag)
    assert (changed.status_code, changed.json()["rows"]) == (200, [])


def test_the_tag_changes_when_a_backup_brings_other_rows_under_the_same_names(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    address = output.person.url(output.path("current"))
    tag = output.person.client.get(address)["ETag"]
    output.batch = 0
    output.commit(row(0, "another", 1), cti=10 * S)
    changed = output.person.client.get(address, headers={"if-none-match": tag})
    assert (changed.status_code, plates(changed.json())) == (200, [("another", 1)])


def test_rows_in_a_missing_file_are_counted(output: Output) -> None:
    output.commit(row(0, "A", 1), row(0, "B", 1), cti=10 * S)
    (output.folder / "results" / "part-0-0.jsonl").unlink()
    page = current(output)
    assert (page["rows"], page["missing_rows"]) == ([], 2)


def test_errors_name_what_to_do(output: Output, alice: Person) -> None:
    message, _ = problem(output, 409)
    assert message.startswith("The output out has no CTI yet")
    output.commit(row(0, "A", 1), cti=10 * S)
    assert problem(output, 422, as_of="soon")[0] == "as_of: 'soon' isn't a time."
    assert problem(output, 422, after="x")[0] == "after: this isn't a cursor."
    assert problem(output, 422, after=f"7.{S}.0-0-0")[0] == "after: this isn't a cursor."
    assert problem(output, 422, key="speed:1") == (
        "This output has no field 'speed'.",
        "Use one of its fields: plate, n.",
    )
    assert problem(output, 422, key="n:x")[0] == "'x' isn't a value of the field n, which has the type long."
    assert problem(output, 422, key=["n:1", "n:2"])[0] == "The key has the field 'n' twice."
    absent = alice.get(output.path("current").replace("/out/", "/nothing/")).json()["faults"][0]
    assert (absent["message"], absent["remedy"]) == ("watch has no output 'nothing'.", "Use one of: out.")


def test_a_binding_that_never_ran_has_no_rows(alice: Person, binding: dict[str, Any]) -> None:
    answered = alice.get(f"bindings/{binding['id']}/outputs/out/current/")
    assert (answered.status_code, answered.json()["message"].split(",")[0]) == (409, "watch has no results")


def test_a_damaged_file_is_a_sentence(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    (output.folder / "results" / "part-0-0.jsonl").write_bytes(b"")
    assert problem(output, 409)[0].startswith("A file with these results is damaged.")


def test_a_damaged_commit_is_a_sentence(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    output.commit(row(10, "A", 1), cti=20 * S)
    (output.folder / "commits" / "0.json").write_bytes(b"{")
    assert problem(output, 409)[0].startswith("A file with these results is damaged.")
    refused = output.person.get(output.path("stream") + "?after=0")
    assert (refused.status_code, refused.json()["code"]) == (409, "export_failed")


def test_viewers_read_and_strangers_find_nothing(output: Output, bob: Person, charlie: Person) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    assert plates(bob.get(output.path("current")).json()) == [("A", 1)]
    assert charlie.get(output.path("current")).status_code == 404
    assert charlie.get(output.path("stream")).status_code == 404
