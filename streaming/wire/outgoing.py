"""The hosts that adapters may connect to: a setting of the installation that web application and runner enforce."""

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, Field

from streaming.definition.strict import Strict


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        raise ValueError(
            f"'{text}' isn't a network. Write one like 10.20.0.0/16 or fd00:1::/64, without bits after the prefix."
        ) from None


Network = Annotated[str, AfterValidator(_network)]
"""A network in CIDR form; an address alone is a network of one."""
Port = Annotated[int, Field(ge=1, le=65_535)]


class OutgoingPolicy(Strict):
    """The networks that adapters may reach.

    `public` allows the public internet, at `ports` only. `networks` are allowed in addition, at every port. Some
    addresses are never allowed, whatever the policy: see `streaming.adapters.network.addresses`.
    """

    public: bool = True
    ports: tuple[Port, ...] = (443, 8443)
    networks: tuple[Network, ...] = ()


NOTHING = OutgoingPolicy(public=False, ports=())
"""No network at all: the policy where none is set."""
