"""Where an organisation's results lie is decided once: a setting that is changed later hides nothing that was kept."""

from pathlib import Path

import pytest

from streaming.wire.result_location import NOTE, location_fault, noted_location, result_folder, settle_location
from streaming.wire.storage import LocalFolder

STORE = "s3://bucket/all?region=eu-west-1"


@pytest.mark.parametrize(
    "location",
    [
        "s3://bucket",
        "s3://bucket/deep/er",
        "s3://bucket/all?endpoint_override=127.0.0.1:9000&scheme=http&region=eu-west-1",
    ],
)
def test_a_bucket_with_options_can_be_used(location: str) -> None:
    assert location_fault(location) is None


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("/var/results", "must begin with s3://"),
        ("s3://", "the name of a bucket"),
        ("s3://AKIA:hunter2@bucket/all", "AWS_ACCESS_KEY_ID"),
        ("s3://bucket?secret_key=hunter2", "it knows no secret_key"),
        ("s3://bucket?region", "name=value"),
    ],
)
def test_what_cannot_be_used_is_told_without_what_it_holds(location: str, why: str) -> None:
    told = location_fault(location)
    assert told is not None
    assert why in told
    assert "hunter2" not in told


def test_an_organisation_without_results_gets_a_prefix_of_its_own(tmp_path: Path) -> None:
    settle_location(tmp_path, STORE, "7a")
    assert noted_location(tmp_path) == "s3://bucket/all/7a?region=eu-west-1"


def test_what_was_decided_stays(tmp_path: Path) -> None:
    settle_location(tmp_path, STORE, "7a")
    settle_location(tmp_path, "s3://another", "7a")
    settle_location(tmp_path, None, "7a")
    assert noted_location(tmp_path) == "s3://bucket/all/7a?region=eu-west-1"


def test_results_on_this_machine_stay_on_it(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    settle_location(tmp_path, STORE, "7a")
    assert not (tmp_path / NOTE).exists()
    assert isinstance(result_folder(tmp_path), LocalFolder)


def test_without_a_setting_results_lie_in_the_folder(tmp_path: Path) -> None:
    settle_location(tmp_path, None, "7a")
    assert isinstance(result_folder(tmp_path / "absent"), LocalFolder)
