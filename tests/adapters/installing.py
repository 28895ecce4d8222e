"""The package `punctual_ticker` as pip installs it, on the path of this process and of those that it starts."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from streaming.adapters.installed import installed_kinds

PACKAGE = Path(__file__).parent / "punctual_ticker"


@contextmanager
def ticker_installed(folder: Path) -> Iterator[None]:
    """Meanwhile the kind `ticker` is there; `folder` is empty and becomes the package's place."""
    source = folder / "source"
    source.mkdir(parents=True)
    for file in ("pyproject.toml", "punctual_ticker.py"):
        (source / file).write_bytes((PACKAGE / file).read_bytes())
    site = folder / "site"
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", str(site), str(source)], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH")))))
        forget()
        try:
            yield
        finally:
            forget()


def forget() -> None:
    """The kinds are looked for again, by whoever asks next."""
    importlib.invalidate_caches()
    installed_kinds.cache_clear()
    sys.modules.pop("punctual_ticker", None)
