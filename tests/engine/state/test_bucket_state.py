"""The state of a bucket: written data are read again, and another program's version is refused."""

import pytest

from streaming.engine.state.bucket_state import BucketState
from streaming.engine.state.container import framed
from streaming.engine.state.state_store import DictState


@pytest.mark.parametrize("version", [4, 6])
def test_a_state_of_another_version_is_refused(version: int) -> None:
    store = DictState({"head": framed({"version": version, "inline": []}, [])})
    with pytest.raises(ValueError, match=f"has version {version}, this program reads version 5"):
        BucketState(store)
