"""The state of a bucket: what is written is read again, and what another program wrote is refused."""

import pytest

from streaming.engine.state.bucket_state import BucketState
from streaming.engine.state.state_store import DictState


@pytest.mark.parametrize("version", [1, 3])
def test_a_state_of_another_version_is_refused(version: int) -> None:
    text = f'{{"version":{version}}}'.encode()
    store = DictState({"head": len(text).to_bytes(8, "little") + text})
    with pytest.raises(ValueError, match=f"has version {version}, this program reads version 2"):
        BucketState(store)
