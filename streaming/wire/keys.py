"""Redis keys that the web application and a runner share; every key starts with its organisation."""

RATE_TTL_S = 15
"""A rate expires unless the runner reports it again within this time."""
CALLS_TTL_S = 30
CALLS_KEPT = 1_000
LEASE_TTL_S = 8
"""A runner that doesn't renew its lease within this time is lost."""
OWN = "own"
"""The place of an organisation with a runner of its own."""
POOL = "pool-"
INCIDENTS_KEPT = 10_000
"""About how many incidents of runs are stored while the web application doesn't read them."""
WEB = "web"
RUNNER = "runner"
REPORTS = "reports"
REPORTS_KEPT = 3_600
"""About how many progress reports of a run are stored for pages that open later."""


def lease(organisation: str) -> str:
    """String: the RunnerLease of the organisation's runner, with LEASE_TTL_S to live."""
    return f"punctual:{organisation}:lease"


def place(organisation: str) -> str:
    """String: the runner of the organisation's runs, OWN or a pool (`pool_name`). The web application writes it."""
    return f"punctual:{organisation}:place"


def seated(pool: str) -> str:
    """Hash: id of an organisation with work in `pool` to its keys, sealed for that pool.

    The web application replaces it as a whole; the pool only reads. `pool` takes the place of the organisation in the
    key.
    """
    return f"punctual:{pool}:organisations"


def pool_name(number: int) -> str:
    """Return the name of pooled runner `number`: in Redis, as its folder next to those of organisations, as a place."""
    return f"{POOL}{number}"


def pool_number(whose: str) -> int | None:
    """Return the number of the pool named `whose`; None for an organisation."""
    return int(whose.removeprefix(POOL)) if whose.startswith(POOL) else None


def desired(organisation: str) -> str:
    """Hash: binding id to RunSpec. The web application replaces it as a whole; the runner only reads."""
    return f"punctual:{organisation}:desired"


def calls(whose: str) -> str:
    """List: organisations whose desired state changed, with CALLS_TTL_S to live, so that their runner reads it soon.

    `whose`: an organisation, or a pool for those that it serves. The web application adds; the runner takes. Only a
    hint: a runner that misses one reads the desired state at its next poll.
    """
    return f"punctual:{whose}:calls"


def limits(organisation: str) -> str:
    """String: RunLimits. The web application writes it together with `desired`; the runner only reads."""
    return f"punctual:{organisation}:limits"


def rate(organisation: str) -> str:
    """String: events per second that all runs together read now, with RATE_TTL_S to live. The runner writes."""
    return f"punctual:{organisation}:rate"


def observed(organisation: str) -> str:
    """Hash: run id to RunObserved. The runner writes; the web application copies it to its database."""
    return f"punctual:{organisation}:observed"


def reports(organisation: str, run: str) -> str:
    """Stream: ProgressReport under the field `report`, trimmed to about REPORTS_KEPT."""
    return f"punctual:{organisation}:run:{run}:reports"


def incidents(organisation: str) -> str:
    """Stream: RunIncident under the field `incident`; the web application deletes what it has taken."""
    return f"punctual:{organisation}:incidents"


def progress(organisation: str) -> str:
    """Hash: run id to the latest ProgressReport."""
    return f"punctual:{organisation}:progress"


def deliveries(organisation: str) -> str:
    """Hash: binding id to BindingDeliveries. The web application replaces it as a whole; the runner only reads."""
    return f"punctual:{organisation}:deliveries"


def delivered(organisation: str) -> str:
    """Hash: identity of an output to DeliveryObserved. The runner writes; the web application reads."""
    return f"punctual:{organisation}:delivered"


def releases(organisation: str) -> str:
    """Hash: WEB or RUNNER to the release of the program whose messages are here (`message.RELEASE`).

    Each side writes its own, and reads the other's when it can't read a message. REPORTS: the version of the reports
    that the web application reads (`progress.VERSION`); release 0.1.0 doesn't write it, and reads version 1.
    """
    return f"punctual:{organisation}:releases"
