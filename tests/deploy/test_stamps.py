"""A step is done again exactly when what it was done for has changed."""

from pathlib import Path

import pytest

from deploy.prepare import browser_code, packages, stamps


def test_a_digest_changes_with_a_content_and_with_a_name(tmp_path: Path) -> None:
    first = tmp_path / "a"
    first.write_text("1")
    before = stamps.digest([first], tmp_path)
    first.write_text("2")
    changed = stamps.digest([first], tmp_path)
    second = first.rename(tmp_path / "b")
    assert len({before, changed, stamps.digest([second], tmp_path)}) == 3


def test_a_digest_does_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    files = [tmp_path / name for name in "abc"]
    for file in files:
        file.write_text(file.name)
    assert stamps.digest(files, tmp_path) == stamps.digest(reversed(files), tmp_path)


def test_a_stamp_is_current_only_for_its_value(tmp_path: Path) -> None:
    stamp = tmp_path / "stamp"
    assert not stamps.is_current(stamp, "1")
    stamps.write(stamp, "1")
    assert stamps.is_current(stamp, "1")
    assert not stamps.is_current(stamp, "2")


def test_what_was_installed_or_built_is_no_source(tmp_path: Path) -> None:
    for name in ("node_modules/x.js", "dist/y.js", "src/z.ts", ".cache/w", "package.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert {path.name for path in browser_code.source_files(tmp_path)} == {"z.ts", "package.json"}


@pytest.mark.parametrize(
    ("had", "wanted", "steps"),
    [
        (packages.TESTING, packages.TESTING, 0),
        (packages.TESTING, packages.RUNNING, 0),
        (packages.RUNNING, packages.TESTING, 1),
    ],
)
def test_packages_are_installed_only_when_some_are_missing(
    had: frozenset[str], wanted: frozenset[str], steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(packages, "run_step", lambda title, *_, **__: done.append(title))
    monkeypatch.setattr(packages, "VENV_PYTHON", tmp_path)
    monkeypatch.setattr(packages, "STAMP", tmp_path / "stamp")
    packages.install(had, tmp_path / "log")
    done.clear()
    packages.install(wanted, tmp_path / "log")
    assert len(done) == steps


def test_the_pages_are_built_again_after_a_change_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    frontend, guide = tmp_path / "frontend", tmp_path / "guide"
    for folder in (frontend / "dist", guide):
        folder.mkdir(parents=True)
    for name, value in (("FRONTEND", frontend), ("GUIDE", guide), ("ROOT", tmp_path)):
        monkeypatch.setattr(browser_code, name, value)
    monkeypatch.setattr(browser_code, "run_step", lambda words, *_, **__: built.append(words))
    for text in ("one", "one", "two"):
        (guide / "join.md").write_text(text)
        browser_code.build(tmp_path / "log")
    assert built.count("Building the pages") == 2
