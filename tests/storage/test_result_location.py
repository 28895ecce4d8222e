"""The location of an organisation's results is decided once: a changed setting hides no stored results."""

from pathlib import Path

import pytest

from streaming.storage.blobs import LocalFolder
from streaming.storage.result_location import NOTE, location_fault, noted_location, result_folder, settle_location

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
        ("/var/results", "must start with s3://"),
        ("s3://", "the name of a bucket"),
        ("s3://AKIA:hunter2@bucket/all", "AWS_ACCESS_KEY_ID"),
        ("s3://bucket?secret_key=hunter2", "the option secret_key doesn't exist"),
        ("s3://bucket?region", "name=value"),
    ],
)
def test_the_message_about_an_invalid_location_contains_no_key(location: str, why: str) -> None:
    message = location_fault(location)
    assert message is not None
    assert why in message
    assert "hunter2" not in message


def test_an_organisation_without_results_gets_a_prefix_of_its_own(tmp_path: Path) -> None:
    settle_location(tmp_path, STORE, "7a")
    assert noted_location(tmp_path) == "s3://bucket/all/7a?region=eu-west-1"


def test_a_decided_location_stays(tmp_path: Path) -> None:
    settle_location(tmp_path, STORE, "7a")
    settle_location(tmp_path, "s3://another", "7a")
    settle_location(tmp_path, None, "7a")
    assert noted_location(tmp_path) == "s3://bucket/all/7a?region=eu-west-1"


def test_results_on_this_machine_stay_on_it(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    settle_location(tmp_path, STORE, "7a")
    assert not (tmp_path / NOTE).exists()
    assert isinstance(result_folder(tmp_path), LocalFolder)


def test_without_a_setting_results_are_in_the_folder(tmp_path: Path) -> None:
    settle_location(tmp_path, None, "7a")
    assert isinstance(result_folder(tmp_path / "absent"), LocalFolder)
