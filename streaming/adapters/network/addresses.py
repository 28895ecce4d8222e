"""Checks which addresses may be reached, independent of the name that led to them and of their notation."""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from streaming.wire.outgoing import OutgoingPolicy

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(texts: Iterable[str]) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


NEVER: Final = _networks(
    (
        "0.0.0.0/8",  # this machine, by another name
        "169.254.169.254/32",  # metadata of most clouds: hands out the machine's credentials
        "169.254.170.0/24",  # credentials of containers and pods
        "100.100.100.200/32",  # metadata, Alibaba
        "168.63.129.16/32",  # Azure's platform, though a public address
        "192.0.0.192/32",  # metadata, Oracle
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
        "::/128",
        "fd00:ec2::/32",  # metadata, Amazon
        "fd20:ce::254/128",  # metadata, Google
        "ff00::/8",  # multicast
        "2002::/16",  # 6to4: any IPv4 address, through an unknown relay
        "2001::/32",  # Teredo: likewise
        "64:ff9b:1::/48",  # NAT64 of a local network: only that network knows the position of the IPv4 address
        "::ffff:0:0:0/96",  # IPv4-translated
    )
)
"""Addresses that stay forbidden even if a network in the installation's list contains them."""

NOT_PUBLIC: Final = _networks(
    (
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by a provider's customers
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "2001::/23",
        "2001:db8::/32",
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)
"""IANA's special-purpose networks; allowed only if the installation's list contains them."""

_UNICAST_6: Final = ipaddress.IPv6Network("2000::/3")
"""The public IPv6 addresses: all others (unique local, link local, site local, loopback) are not public."""
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")
_ISATAP: Final = (0x0000_5EFE, 0x0200_5EFE)
_LAST_32_BITS: Final = 0xFFFF_FFFF


def effective_address(address: Address) -> Address:
    """Return the IPv4 address inside an IPv6 address (mapped, compatible, NAT64, ISATAP), else the address itself.

    Otherwise ::ffff:127.0.0.1 or 64:ff9b::7f00:1 would be IPv6 addresses that no rule on 127.0.0.1 matches.
    """
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    last = ipaddress.IPv4Address(int(address) & _LAST_32_BITS)
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        return last
    if (int(address) >> 32) & _LAST_32_BITS in _ISATAP:
        return last
    return address


def is_allowed(address: Address, port: int, policy: OutgoingPolicy) -> bool:
    """Return True if `policy` allows connections to `address` at `port`."""
    target = effective_address(address)
    if _among(address, NEVER) or _among(target, NEVER):
        return False
    if is_listed(address, policy):
        return True
    return policy.public and port in policy.ports and _is_public(target)


def is_listed(address: Address, policy: OutgoingPolicy) -> bool:
    """Return True if `address` is in a network that the installation lists; such addresses may be used without TLS."""
    return _among(effective_address(address), _listed(policy.networks))


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in _UNICAST_6:
        return False
    return not _among(address, NOT_PUBLIC)


def _among(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)


@lru_cache(maxsize=8)
def _listed(texts: tuple[str, ...]) -> tuple[Network, ...]:
    return _networks(texts)
