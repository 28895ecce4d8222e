"""Division of an organisation's limit of events over its carriers."""

import pytest

from streaming.runtime.carriers.locations import MAIN
from streaming.runtime.carriers.rate_split import CarrierNeed, shares


@pytest.mark.parametrize(
    ("limit", "needs", "expected"),
    [
        (100, {}, {}),
        (0, {MAIN: CarrierNeed(1)}, {MAIN: 0}),
        (100, {MAIN: CarrierNeed(1)}, {MAIN: 100}),
        (100, {MAIN: CarrierNeed(3), "b": CarrierNeed(1)}, {MAIN: 75, "b": 25}),
        (100, {MAIN: CarrierNeed(1, rate=20), "b": CarrierNeed(1, held=True)}, {MAIN: 40, "b": 60}),
        (100, {MAIN: CarrierNeed(1, rate=49, held=True), "b": CarrierNeed(1, rate=49, held=True)}, {MAIN: 50, "b": 50}),
        (1, {MAIN: CarrierNeed(5), "b": CarrierNeed(1)}, {MAIN: 1, "b": 1}),
    ],
)
def test_shares(limit: int, needs: dict[str, CarrierNeed], expected: dict[str, int]) -> None:
    assert shares(limit, needs) == expected
