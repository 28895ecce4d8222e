"""An adapter of an installed package is offered on the pages like any other, with the form of its options."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.installing import ticker_installed
from tests.webapp.conftest import Person


@pytest.fixture
def ticker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder: Path = tmp_path_factory.mktemp("ticker")
    with ticker_installed(folder / "package"):
        yield


@pytest.mark.usefixtures("ticker")
def test_a_form_can_choose_a_kind_that_a_package_brings(alice: Person) -> None:
    offered = {kind["kind"]: kind for kind in alice.get("adapters/").json()}
    assert offered["ticker"]["title"] == "Ticker"
    assert "up_to" in offered["ticker"]["options_schema"]["properties"]
