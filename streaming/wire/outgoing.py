"""Where an installation's adapters may connect to: said by the installation's settings, obeyed by web and runner."""

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, Field

from streaming.definition.strict import Strict


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        raise ValueError(
            f"'{text}' is no network; write one such as 10.20.0.0/16 or fd00:1::/64, with no bits beyond its length"
        ) from None


Network = Annotated[str, AfterValidator(_network)]
"""A network in CIDR form; an address alone is a network of one."""
Port = Annotated[int, Field(ge=1, le=65_535)]


class OutgoingPolicy(Strict):
    """The networks that adapters may reach.

    `public`: whether the public internet may be reached, at `ports` alone. `networks`: what may be reached beyond it,
    at every port. Some addresses are never reached, whatever stands here: see `streaming.adapters.network.addresses`.
    """

    public: bool = True
    ports: tuple[Port, ...] = (443, 8443)
    networks: tuple[Network, ...] = ()


NOTHING = OutgoingPolicy(public=False, ports=())
"""No network at all: what applies where nobody said which policy does."""
