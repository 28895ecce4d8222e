"""`manage.py checkpoints`: for an organisation by its short name, and with a sentence where nothing was done."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from webapp.accounts.models import Organisation


def test_what_an_organisation_has_is_kept_and_put_back(
    acme: Organisation, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / str(acme.pk) / "files" / "cars.csv"
    kept.parent.mkdir(parents=True)
    kept.write_text("at,plate\n")
    file = tmp_path / "acme.backup"
    call_command("checkpoints", "show", "acme")
    call_command("checkpoints", "backup", "acme", file)
    kept.write_text("gone\n")
    call_command("checkpoints", "restore", "acme", file)
    assert kept.read_text() == "at,plate\n"
    text = capfd.readouterr().out
    assert "No carrier yet" in text
    assert "The previous content is in" in text
    file.write_bytes(b"no backup")
    with pytest.raises(CommandError):
        call_command("checkpoints", "restore", "acme", file)
    assert "isn't a backup" in capfd.readouterr().err
    with pytest.raises(CommandError, match="No organisation is named nobody"):
        call_command("checkpoints", "show", "nobody")


def test_a_damaged_carrier_is_set_aside(acme: Organisation, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / str(acme.pk) / "carriers" / "main"
    place.mkdir(parents=True)
    (place / "carrier.json").write_text("{")
    call_command("checkpoints", "set-aside", "acme", "main")
    assert "Set carrier main aside as main.damaged" in capfd.readouterr().out
    assert (place.with_name("main.damaged") / "carrier.json").read_text() == "{"
    with pytest.raises(CommandError):
        call_command("checkpoints", "set-aside", "acme", "nowhere")
    assert "has no carrier nowhere" in capfd.readouterr().err
