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
    said = capfd.readouterr().out
    assert "There is no carrier yet" in said
    assert "What was there before lies in" in said
    file.write_bytes(b"no backup")
    with pytest.raises(CommandError):
        call_command("checkpoints", "restore", "acme", file)
    assert "is no backup" in capfd.readouterr().err
    with pytest.raises(CommandError, match="There is no organisation nobody"):
        call_command("checkpoints", "show", "nobody")
