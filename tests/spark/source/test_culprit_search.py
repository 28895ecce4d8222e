"""The search for a binding that fails its batch when no stage names it: few attempts, and no innocent culprit."""

from collections.abc import Callable
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.spark.source.culprit_search import ENOUGH, CulpritSearch

KEYS = tuple(f"b{number}@{number}" for number in range(1, 21))


def searched(batch: tuple[str, ...], fails: Callable[[frozenset[str]], bool]) -> tuple[list[str], int, bool]:
    """Return the culprits until the batch passes, the number of attempts, and whether the search gave up."""
    found: list[str] = []
    search, attempts = CulpritSearch(7), 0
    while True:
        left = [key for key in batch if key not in found]
        attempts += 1
        computed = frozenset(left if search.probe is None else search.probe)
        if not fails(computed):
            if search.probe is None:
                return found, attempts, False
            search = search.passed()
        else:
            search = search.failed(left)
        search = CulpritSearch.of_json({**vars(search)})
        if search.given_up:
            return found, attempts, True
        if search.culprit is not None:
            found.append(search.culprit)


@given(st.integers(1, len(KEYS)), st.data())
def test_the_search_identifies_every_culprit_and_no_other_binding(size: int, data: st.DataObject) -> None:
    batch = KEYS[:size]
    culprits = data.draw(st.sets(st.sampled_from(batch), max_size=3))
    found, attempts, given_up = searched(batch, lambda computed: bool(computed & culprits))
    assert (set(found), given_up) == (culprits, False)
    assert attempts <= ENOUGH + len(culprits) * (ceil(log2(size)) + 4)


@given(st.integers(0, len(KEYS)))
def test_a_batch_that_fails_even_when_empty_is_given_up_without_a_culprit(size: int) -> None:
    assert searched(KEYS[:size], lambda _: True) == ([], ENOUGH + (size > 0), True)


@given(st.sets(st.sampled_from(KEYS), min_size=2))
def test_a_binding_that_fails_only_with_others_is_not_blamed(together: set[str]) -> None:
    found, _, given_up = searched(KEYS, lambda computed: together <= computed)
    assert (found, given_up) == ([], True)


@pytest.mark.parametrize("times", range(1, 12))
def test_a_batch_that_passes_after_some_attempts_blames_no_binding(times: int) -> None:
    """Fail whole attempts a few times, and probes never."""
    left = [times]

    def fails(computed: frozenset[str]) -> bool:
        left[0] -= len(computed) == len(KEYS)
        return len(computed) == len(KEYS) and left[0] >= 0

    found, _, given_up = searched(KEYS, fails)
    assert found == []
    assert given_up == (times > ENOUGH)
