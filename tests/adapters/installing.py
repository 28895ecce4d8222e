"""Installed packages with an adapter, on the path of this process and of those that it starts."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from streaming.adapters.installed import installed_kinds

TICKER = "punctual_ticker"
TROUBLE = "punctual_trouble"


@contextmanager
def ticker_installed(folder: Path) -> Iterator[None]:
    """Provide the kind `ticker`; `folder` is empty and becomes the package's place."""
    with package_installed(folder, TICKER):
        yield


@contextmanager
def package_installed(folder: Path, package: str) -> Iterator[None]:
    """Provide the kind of `package`, which is next to this file."""
    source = folder / "source"
    source.mkdir(parents=True)
    for file in ("pyproject.toml", f"{package}.py"):
        (source / file).write_bytes((Path(__file__).parent / package / file).read_bytes())
    site = folder / "site"
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", str(site), str(source)], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH")))))
        _forget(package)
        try:
            yield
        finally:
            _forget(package)


def _forget(package: str) -> None:
    """Let the next caller search the kinds again."""
    importlib.invalidate_caches()
    installed_kinds.cache_clear()
    sys.modules.pop(package, None)
