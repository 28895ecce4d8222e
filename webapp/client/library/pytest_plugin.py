"""The pytest plugin of the client: `pytest --punctual-scenarios` runs an organisation's scenarios as tests.

It does nothing without that option. A scenario that differs is a failure; everything that prevents a verdict is an
error: no token, no server, no scenarios, a scenario that can't be run.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import pytest

from ..outcomes import CommandFailure
from ..output.screen import clean, clean_line
from .client import Client
from .queries import RemoteQuery
from .scenarios import RemoteScenario, ScenarioRun

MARKER: Final = "punctual_scenario"
_SCENARIOS, _QUERIES, _ORGANISATION = "punctual_scenarios", "punctual_query", "punctual_organisation"
_CLIENT: Final = pytest.StashKey[Client]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("punctual", "scenarios of Punctual")
    group.addoption(
        "--punctual-scenarios",
        dest=_SCENARIOS,
        action="store_true",
        help="run the scenarios of an organisation, on the current version of each query, as tests with the marker "
        f"{MARKER}; the server and the token are those of the command `punctual`",
    )
    group.addoption(
        "--punctual-query",
        dest=_QUERIES,
        action="append",
        default=[],
        metavar="NAME",
        help="run the scenarios of this query only; may be repeated",
    )
    group.addoption(
        "--punctual-organisation",
        dest=_ORGANISATION,
        metavar="NAME",
        help="the organisation's short name; by default the token's",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and refuse options that would have no effect."""
    config.addinivalue_line("markers", f"{MARKER}: a scenario of Punctual (--punctual-scenarios)")
    chosen = config.getoption(_QUERIES) or config.getoption(_ORGANISATION)
    if chosen and not config.getoption(_SCENARIOS):
        raise pytest.UsageError("--punctual-query and --punctual-organisation need --punctual-scenarios.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the scenarios to the tests, before other plugins select some of them."""
    if config.getoption(_SCENARIOS):
        items.extend(session.genitems(ScenarioCollector.from_parent(session, name="punctual", nodeid="punctual")))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close the connections."""
    client = config.stash.get(_CLIENT, None)
    if client is not None:
        client.close()


class ScenarioCollector(pytest.Collector):
    """Collects the queries of an organisation that have scenarios."""

    def collect(self) -> Sequence["QueryCollector"]:
        """Return a collector for each query. Raises `CollectError` without any scenario, and for a refusal."""
        with _refusals(self.CollectError):
            client = _connect(self.config)
            wanted = list(dict.fromkeys(self.config.getoption(_QUERIES)))
            queries = [client.query(name) for name in wanted] if wanted else client.queries()
            found = [(query, query.scenarios()) for query in queries]
            place = f"punctual/{clean_line(client.server.organisation)}"
        empty = [query.name for query, scenarios in found if not scenarios]
        if wanted and empty:
            names = clean_line(", ".join(empty))
            raise self.CollectError(f"These queries have no scenarios: {names}. Save some in the simulator.")
        if len(empty) == len(found):
            name = clean_line(client.server.organisation)
            raise self.CollectError(f"The organisation {name} has no scenarios. Save one in the simulator of a query.")
        return [
            QueryCollector.of(self, f"{place}/{query.name}", query, scenarios)
            for query, scenarios in found
            if scenarios
        ]


class QueryCollector(pytest.Collector):
    """Collects the scenarios of a query."""

    query: RemoteQuery
    scenarios: Sequence[RemoteScenario]

    @classmethod
    def of(
        cls, parent: ScenarioCollector, node_id: str, query: RemoteQuery, scenarios: Sequence[RemoteScenario]
    ) -> "QueryCollector":
        """Return the collector of a query."""
        made: QueryCollector = cls.from_parent(parent, name=query.name, nodeid=node_id)
        made.query, made.scenarios = query, scenarios
        return made

    def collect(self) -> Iterator["ScenarioTest"]:
        """Yield a test for each scenario."""
        for scenario in self.scenarios:
            test: ScenarioTest = ScenarioTest.from_parent(self, name=clean_line(scenario.name))
            test.query, test.scenario = self.query, scenario
            yield test


class ScenarioTest(pytest.Item):
    """A scenario on the version that was current when the tests were collected."""

    query: RemoteQuery
    scenario: RemoteScenario
    verdict: ScenarioRun

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_marker(MARKER)

    def setup(self) -> None:
        """Run the scenario on the server. An exception here is an error, no failure."""
        self.user_properties.append(("punctual_version", self.query.version))
        with _refusals(_reason):
            self.verdict = self.scenario.run(self.query.version_id)
        if not self.verdict.ran:
            raise _reason(f"{self._place()} can't be run: {' '.join(self.verdict.other)}")

    def runtest(self) -> None:
        """Fail with the differences, row by row."""
        if not self.verdict.holds:
            raise _reason(f"{self._place()} gives other results:\n{self.verdict.differences()}")

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the name in the heading of a failure."""
        return self.path, None, self._place()

    def _place(self) -> str:
        return f"{self.query.name}, version {self.query.version}: {self.name}"


def _connect(config: pytest.Config) -> Client:
    client = config.stash[_CLIENT] = Client.from_env(organisation=config.getoption(_ORGANISATION))
    client.server.my_organisation()
    return client


def _reason(text: str) -> BaseException:
    """Return an exception that pytest shows as its text alone."""
    return pytest.fail.Exception(clean(text), pytrace=False)


@contextmanager
def _refusals(kind: Callable[[str], BaseException]) -> Iterator[None]:
    """Raise refusals inside the block as exceptions of this kind."""
    try:
        yield
    except CommandFailure as failure:
        raise kind(clean(failure)) from None
