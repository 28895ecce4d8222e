"""Places are shared fairly: nobody holds them all, and who waits is served in turns by organisation, then person."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from threading import Thread
from uuid import UUID

import pytest

from tests.webapp.conftest import Person, join
from webapp.accounts.permissions import Role
from webapp.core.errors import Busy
from webapp.core.limited import admission
from webapp.core.limited.admission import REQUESTS
from webapp.core.limited.fair import Claim, FairPlaces, Share
from webapp.core.limited.jobs import READING, TYPING
from webapp.core.limited.places import PLACES, place

A, B, C = (UUID(int=number) for number in range(1, 4))
SHARE = Share(places=6, reserved=2, organisation=4, person=3, waiting=16, waits_s=0.0)
TEXT = "QUERY q;\nINSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120;\n"


def claims(places: FairPlaces, *wanted: Claim) -> list[bool]:
    """Return for each claim whether it gets a place at once; successful claims keep theirs."""
    got = []
    for claim in wanted:
        try:
            places.enter(claim)
            got.append(True)
        except Busy:
            got.append(False)
    return got


def test_no_organisation_takes_the_places_that_others_would_need() -> None:
    places = FairPlaces(SHARE)
    mine = [Claim(A, f"person {number}") for number in range(8)]
    assert claims(places, *mine) == [True] * 4 + [False] * 4
    assert claims(places, Claim(B, "b"), Claim(B, "b"), Claim(C, "c")) == [True, False, True]


def test_a_person_of_many_organisations_counts_once() -> None:
    places = FairPlaces(SHARE)
    mine = [Claim(UUID(int=100 + number), "mallory") for number in range(8)]
    assert claims(places, *mine) == [True] * 3 + [False] * 5
    assert claims(places, Claim(B, "b")) == [True]


def test_who_waits_is_served_in_turns_by_organisation_then_by_person() -> None:
    places = FairPlaces(replace(SHARE, places=1, reserved=0, waits_s=60.0))
    first, served = Claim(C, "first"), []
    places.enter(first)
    wanted = [Claim(A, "a1"), Claim(A, "a1"), Claim(A, "a2"), Claim(B, "b"), Claim(B, "b")]

    def wait(claim: Claim) -> None:
        places.enter(claim)
        served.append(claim.person)
        places.leave(claim)

    threads = []
    for number, claim in enumerate(wanted, 1):
        threads.append(Thread(target=wait, args=(claim,)))
        threads[-1].start()
        while len(places._waiting) < number:
            pass
    places.leave(first)
    for each in threads:
        each.join()
    assert served == ["a1", "b", "a2", "b", "a1"]


def test_too_many_that_wait_are_refused_at_once_and_those_of_others_are_not() -> None:
    places = FairPlaces(replace(SHARE, places=1, reserved=0, waiting=0))
    assert claims(places, Claim(A)) == [False]


@contextmanager
def all_places_of(organisation: UUID) -> Iterator[None]:
    """Hold as many places as one organisation can get by asking for everything."""
    with ExitStack() as held:
        for limits in (TYPING, READING) * 4:
            try:
                held.enter_context(place(organisation, limits))
            except Busy:
                continue
        yield


def test_an_organisation_that_computes_all_it_can_leaves_room_for_the_next(
    alice: Person, charlie: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLACES, "share", replace(PLACES.share, waits_s=0.01))
    with all_places_of(alice.organisation.pk):
        assert alice.post("queries/validate/", {"text": TEXT}).status_code == 429
        assert charlie.post("queries/validate/", {"text": TEXT}).status_code == 200


def test_few_requests_of_one_person_are_answered_at_the_same_time(
    alice: Person, charlie: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(REQUESTS, "share", replace(REQUESTS.share, waits_s=0.01))
    colleague = join("carol@acme.example", alice.organisation, Role.VIEWER)
    claim = Claim(alice.organisation.pk, str(alice.user.pk))
    for _ in range(REQUESTS.share.person):
        REQUESTS.enter(claim)
    refused = alice.get("streams/")
    assert (refused.status_code, refused.json()["message"]) == (429, admission.BUSY)
    assert int(refused["Retry-After"]) > 0
    assert [each.get("streams/").status_code for each in (colleague, charlie)] == [200, 200]
    for _ in range(REQUESTS.share.person):
        REQUESTS.leave(claim)
    assert alice.get("streams/").status_code == 200


def test_a_request_that_waits_for_its_process_holds_no_place_of_the_web_process(
    alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    run = place

    @contextmanager
    def watched(*args: object) -> Iterator[int]:
        seen.append(REQUESTS._total)
        with run(*args) as beside:  # type: ignore[arg-type]
            yield beside

    monkeypatch.setattr("webapp.core.limited.running.place", watched)
    assert alice.post("queries/validate/", {"text": TEXT}).status_code == 200
    assert (seen, REQUESTS._total) == ([0], 0)
