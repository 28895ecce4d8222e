"""Names of what the web application and a runner share in Redis; every key begins with its organisation."""

RATE_TTL_S = 15
"""A rate that the runner has not told for so long is none."""
CALLS_TTL_S = 30
CALLS_KEPT = 1_000
LEASE_TTL_S = 8
"""A runner that has not renewed its lease for so long is lost."""
OWN = "own"
"""The place of an organisation that has a runner of its own."""
POOL = "pool-"
INCIDENTS_KEPT = 10_000
"""About how many incidents of runs wait for a web application that does not take them."""
REPORTS_KEPT = 3_600
"""About how many progress reports of a run stay readable for pages that open later."""


def lease(organisation: str) -> str:
    """String: the RunnerLease of the organisation's runner, with LEASE_TTL_S to live."""
    return f"punctual:{organisation}:lease"


def place(organisation: str) -> str:
    """String: who is to carry the organisation's runs, OWN or a pool (`pool_name`). The web application writes it."""
    return f"punctual:{organisation}:place"


def seated(pool: str) -> str:
    """Hash: id of an organisation that has something to do in `pool` to its keys, sealed for that pool.

    The web application writes it whole; the pool only reads. `pool` stands where others have their organisation.
    """
    return f"punctual:{pool}:organisations"


def pool_name(number: int) -> str:
    """What pooled runner `number` is called: in Redis, as the folder beside those of organisations, and as a place."""
    return f"{POOL}{number}"


def pool_number(whose: str) -> int | None:
    """Which pool `whose` is the name of; None for an organisation."""
    return int(whose.removeprefix(POOL)) if whose.startswith(POOL) else None


def desired(organisation: str) -> str:
    """Hash: binding id to RunSpec. The web application writes it whole; the runner only reads."""
    return f"punctual:{organisation}:desired"


def calls(whose: str) -> str:
    """List: organisations of which something new is desired, with CALLS_TTL_S to live, so that their runner looks.

    `whose`: an organisation, or a pool for those that it serves. The web application adds; the runner takes. Only a
    hint: who hears none looks soon by itself.
    """
    return f"punctual:{whose}:calls"


def limits(organisation: str) -> str:
    """String: RunLimits. The web application writes it together with `desired`; the runner only reads."""
    return f"punctual:{organisation}:limits"


def rate(organisation: str) -> str:
    """String: the events that all runs together read each second now, with RATE_TTL_S to live. The runner writes."""
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
    """Hash: binding id to BindingDeliveries. The web application writes it whole; the runner only reads."""
    return f"punctual:{organisation}:deliveries"


def delivered(organisation: str) -> str:
    """Hash: identity of an output to DeliveryObserved. The runner writes; the web application reads."""
    return f"punctual:{organisation}:delivered"
