"""Queries to another server, in a limited process, about the footprint of an input, and its removal."""

from collections.abc import Sequence
from typing import Final

from django.conf import settings

from streaming.adapters.contract import AdapterError
from streaming.adapters.kinds import Footprint
from streaming.adapters.network.fetching import Reach
from streaming.adapters.registry import adapter_kind, read_options
from streaming.definition.streams.stream import AdapterChoice
from streaming.definition.strict import Strict
from webapp.core.limited.jobs import Limits, limited
from webapp.streams.sealing import opened

_LIMITS: Final = Limits(cpu_s=10, wall_s=25)


class FootprintAnswer(Strict):
    """The present footprint, as in `FootprintStatus`; `failure`: why it is unknown, or why it was not removed."""

    names: list[str]
    kept_bytes: int | None
    warning: str | None
    failure: str | None


@limited("Checking what an input keeps on another server", "It is retried automatically.", _LIMITS, opens_secrets=True)
def asked_footprint(adapter: AdapterChoice, holder: str, keep: Sequence[str] | None) -> FootprintAnswer:
    """Return the footprint of `holder` where `adapter` reads; unless `keep` is None, remove all but these names."""
    try:
        known, options, reach = footprint_of(adapter), _options(adapter), Reach(settings.OUTGOING)
        if known is None:
            return FootprintAnswer(names=[], kept_bytes=None, warning=None, failure=None)
        if keep is not None:
            known.release(options, holder, keep, reach)
            return FootprintAnswer(names=list(keep), kept_bytes=None, warning=None, failure=None)
        seen = known.look(options, holder, reach)
    except AdapterError as error:
        return FootprintAnswer(names=[], kept_bytes=None, warning=None, failure=str(error))
    return FootprintAnswer(names=list(seen.names), kept_bytes=seen.kept_bytes, warning=seen.warning, failure=None)


def footprint_of(adapter: AdapterChoice) -> Footprint | None:
    """Return the footprint that inputs of that kind leave; None: nothing. Raises `AdapterError` for an unknown kind."""
    return adapter_kind(adapter.kind).footprint


def _options(adapter: AdapterChoice) -> object:
    choice = opened(adapter)
    return read_options(choice.kind, choice.options)
