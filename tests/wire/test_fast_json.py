"""JSON of states, reports and manifests, compared with Python's own encoder and decoder."""

import json
import math
from typing import Any

import pytest

from streaming.temporal.outcomes import Outcome
from streaming.wire.fast_json import decoded, encoded

VALUES: list[Any] = [
    {"a": [1, -(2**63), 2**70, 0.1, 1e300, -0.0, None, True], 'ä\n"': {"": []}},
    {Outcome.ON_TIME: 1, "reason": Outcome.SHIFTED},
    [[("a", 1)], "\U0001f600", math.inf, -math.inf],
    {"message": "no file \udcff.csv", "n": 2**70},
]


@pytest.mark.parametrize("value", VALUES, ids=["numbers", "enumerations", "infinite", "half a surrogate pair"])
def test_each_decoder_reads_the_output_of_the_other_encoder(value: Any) -> None:
    plain = json.loads(json.dumps(value))
    assert json.loads(encoded(value)) == decoded(encoded(value)) == decoded(json.dumps(value).encode()) == plain
    assert encoded(value) == encoded(value)


def test_nan_stays_nan() -> None:
    assert math.isnan(decoded(encoded(math.nan)))


def test_invalid_json_is_refused() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        decoded(b"{")
