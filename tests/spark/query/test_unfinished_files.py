"""Files of attempts that were never committed."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from streaming.spark.query.unfinished_files import remove_unfinished_files

FILES = {
    "state/0/_metadata/metadata": True,
    "state/0/0/_metadata/schema/7": True,
    "state/0/0/1.changelog": True,
    "state/0/0/4.changelog": True,
    "state/0/0/5.changelog": False,
    "state/0/1/4.zip": True,
    "state/0/1/5.zip": False,
    "state/0/1/5_0af3-bc.changelog": False,
    "state/0/1/12_0af3-bc.changelog": True,
    "state/1/0/5.changelog": False,
    "offsets/4": True,
    "commits/3": True,
    "commits/.4.17d33543-0ebf.tmp": False,
    "offsets/.5.17d33543-0ebf.tmp": False,
    "state/0/0/.6.changelog.17d33543-0ebf.tmp": False,
}
"""Each file, and whether it stays after the last committed batch 3, whose state is version 4."""


def test_hidden_files_and_the_state_after_the_last_committed_batch_are_removed(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert remove_unfinished_files(Mock(), str(tmp_path)) == sum(not stays for stays in FILES.values())
    assert {name for name in FILES if (tmp_path / name).exists()} == {name for name, stays in FILES.items() if stays}


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("name", ["state/0/0/1.changelog", "offsets/.0.17d33543-0ebf.tmp"])
def test_before_the_first_batch_all_files_of_an_attempt_are_removed(tmp_path: Path, name: str, there: bool) -> None:
    first = tmp_path / name
    if there:
        first.parent.mkdir(parents=True)
        first.write_text("")
    assert remove_unfinished_files(Mock(), str(tmp_path)) == there
    assert not first.exists()
