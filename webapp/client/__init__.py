"""The Python library and the command line client `punctual`. Needs only httpx, rich and the standard library.

Frames need pandas, polars or pyarrow, which are imported where they are used. Modules of this package import each other
by relative names, so that the package works under another name too.
"""

from .library.bindings import RemoteBinding
from .library.bundles import BundleFault, BundlePlan, DefinitionBundle, PlannedChange
from .library.client import Client
from .library.queries import RemoteQuery
from .library.scenarios import RemoteScenario, ScenarioRun, VerdictRow
from .library.simulations import CtiStairs, RowOutcome, SimulatedResult, SimulationResult
from .library.streams import RemoteStream
from .library.subscribing import ReceivedEvent, ResultsChanged
from .library.things import PushedBatch, StandingRows, SubscriptionRow
from .library.version import __version__
from .outcomes import CommandFailure as PunctualError

__all__ = [
    "BundleFault",
    "BundlePlan",
    "Client",
    "CtiStairs",
    "DefinitionBundle",
    "PlannedChange",
    "PunctualError",
    "PushedBatch",
    "ReceivedEvent",
    "RemoteBinding",
    "RemoteQuery",
    "RemoteScenario",
    "RemoteStream",
    "ResultsChanged",
    "RowOutcome",
    "ScenarioRun",
    "SimulatedResult",
    "SimulationResult",
    "StandingRows",
    "SubscriptionRow",
    "VerdictRow",
    "__version__",
]
