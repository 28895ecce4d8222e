"""AlertFacts about a binding: the states that no rollup holds, as they were at a turn."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Self


@dataclass(frozen=True)
class DeliveryFacts:
    """The worst of a binding's deliveries: since which tick one is retried, is stopped, or has waiting rows.

    `refused` counts the requests that targets refused for good. `node` is the output that is worst.
    """

    retrying_since: int | None = None
    stopped_since: int | None = None
    waiting_since: int | None = None
    refused: int = 0
    node: str = ""


@dataclass(frozen=True)
class AlertFacts:
    """The states of a binding at a turn; all times are ticks.

    `run` is its newest run, `run_since` the time of that run's request, `open` whether it has not ended. `wanted`: the
    user wants it to run. `away_since`: it should run and does not. `failed` is who must act on a failure (user,
    external, internal), since `failed_since`. `lost_since`: its runner is unknown; `restarts` are the last times at
    which it was lost. `changing`: a change of version is under way. `limited_since`: the organisation's limit of events
    per second delays it. `failed_rows` counts the failures of expressions. `slot_bytes`: retained by its replication
    slots. `red` are the scenarios that differ on the version that runs. `freshness_s` is its target, and `completeness`
    the percentage of rows that it promises in results. Its freshness level, if any, promises that
    results are at most `late_after_s` seconds late in `on_time_share` percent of the minutes. `rows_gap_s` and
    `cti_step_s` are the usual longest times between rows, and between moves of its CTI. `quota` is the sentence about
    the organisation's fullest quota, `quota_share` its used part. `deliveries` None, and `runner_known` false: Redis
    did not answer.
    """

    run: str | None = None
    run_since: int = 0
    open: bool = False
    wanted: bool = False
    away_since: int | None = None
    failed: str | None = None
    failed_since: int | None = None
    runner_known: bool = True
    lost_since: int | None = None
    restarts: tuple[int, ...] = ()
    changing: bool = False
    limited_since: int | None = None
    failed_rows: int = 0
    deliveries: DeliveryFacts | None = DeliveryFacts()
    slot_bytes: int = 0
    red: tuple[str, ...] = ()
    freshness_s: float = 5.0
    rows_gap_s: float = 0.0
    cti_step_s: float = 0.0
    completeness: float = 99.9
    late_after_s: int | None = None
    on_time_share: float = 99.0
    quota: str = ""
    quota_share: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the facts that differ from the defaults, as JSON values."""
        return {name: value for name, value in asdict(self).items() if value != _DEFAULTS[name]}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Self:
        """Read stored facts; unknown fields are those of a newer release, and are ignored."""
        names = {each.name for each in fields(cls)}
        known = {name: value for name, value in content.items() if name in names}
        if known.get("deliveries") is not None:
            known["deliveries"] = DeliveryFacts(**known["deliveries"])
        for name in ("restarts", "red"):
            if name in known:
                known[name] = tuple(known[name])
        return cls(**known)


_DEFAULTS = asdict(AlertFacts())
