"""Asking another server, in a limited process, what an input keeps there, and having it removed."""

from collections.abc import Sequence
from typing import Final

from django.conf import settings

from streaming.adapters.contract import AdapterError
from streaming.adapters.kinds import Footprint
from streaming.adapters.network.fetching import Reach
from streaming.adapters.registry import adapter_kind, read_options
from streaming.definition.streams import AdapterChoice
from streaming.definition.strict import Strict
from webapp.core.limited.jobs import Limits, limited
from webapp.streams.sealing import opened

_LIMITS: Final = Limits(cpu_s=10, wall_s=25)


class FootprintAnswer(Strict):
    """What is there now, as `FootprintSeen`; `failure` is why that is not known, or why it was not removed."""

    names: list[str]
    kept_bytes: int | None
    warning: str | None
    failure: str | None


@limited("Asking what an input keeps elsewhere", "It is tried again.", _LIMITS, opens_secrets=True)
def asked_footprint(adapter: AdapterChoice, holder: str, keep: Sequence[str] | None) -> FootprintAnswer:
    """Return what `holder` has left where `adapter` reads; unless `keep` is None, all but these names is removed."""
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
    """Return what inputs of that kind leave elsewhere; None: nothing. Raises `AdapterError` for no kind."""
    return adapter_kind(adapter.kind).footprint


def _options(adapter: AdapterChoice) -> object:
    choice = opened(adapter)
    return read_options(choice.kind, choice.options)
