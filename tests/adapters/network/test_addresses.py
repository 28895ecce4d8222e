"""Allowed addresses, in every spelling that leads to them."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.network.addresses import NEVER, is_allowed, is_listed
from streaming.wire.outgoing import NOTHING, OutgoingPolicy

PUBLIC = OutgoingPolicy()
EVERYTHING = OutgoingPolicy(networks=("0.0.0.0/0", "::/0"))


def allowed(text: str, policy: OutgoingPolicy = PUBLIC, port: int = 443) -> bool:
    return is_allowed(ipaddress.ip_address(text), port, policy)


@pytest.mark.parametrize("text", ["8.8.8.8", "193.0.6.139", "2606:4700:4700::1111", "64:ff9b::8.8.8.8"])
def test_public_addresses_are_reached_only_at_the_ports_of_the_policy(text: str) -> None:
    assert allowed(text)
    assert not allowed(text, port=22)
    assert not allowed(text, NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.1.1"),
        *("169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
        *("172.16.0.1", "172.31.255.255", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
        *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.88.99.1"),
        *("::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1", "fd00:ec2::254", "ff02::1", "100::1"),
        *("2001:db8::1", "3fff::1", "2001::1", "2001:10::1", "5f00::1", "4000::1"),
    ],
)
def test_addresses_that_are_not_public_are_refused(text: str) -> None:
    assert not allowed(text)


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1"])
@pytest.mark.parametrize(
    "form",
    ["::ffff:{}", "::{}", "64:ff9b::{}", "64:ff9b:1::{}", "::ffff:0:{}", "2606:4700::5efe:{}", "2606::200:5efe:{}"],
)
def test_an_ipv6_form_of_an_internal_address_is_refused(inner: str, form: str) -> None:
    assert not allowed(form.format(inner))


@given(st.integers(0, 2**32 - 1))
def test_no_address_that_is_not_global_is_allowed_and_every_ipv6_form_is_treated_like_it(number: int) -> None:
    address = ipaddress.IPv4Address(number)
    judged = is_allowed(address, 443, PUBLIC)
    assert not judged or (address.is_global and not address.is_multicast)
    for prefix in ("::ffff:0:0", "64:ff9b::"):
        form = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) + number)
        assert is_allowed(form, 443, PUBLIC) == judged
    for form in (
        ipaddress.IPv6Address((0x2002 << 112) + (number << 80) + 1),
        (ipaddress.IPv6Address((0x20010000 << 96) + number)),
    ):
        assert not is_allowed(form, 443, EVERYTHING)


@given(st.integers(0, 2**128 - 1))
def test_no_ipv6_address_that_is_not_global_is_allowed(number: int) -> None:
    address = ipaddress.IPv6Address(number)
    if is_allowed(address, 443, PUBLIC) and address.ipv4_mapped is None:
        assert address.is_global


@pytest.mark.parametrize("network", NEVER, ids=str)
def test_no_list_of_networks_allows_what_is_never_allowed(network: ipaddress.IPv4Network) -> None:
    assert not is_allowed(network[0], 443, EVERYTHING)
    assert not is_allowed(network[-1], 443, EVERYTHING)


def test_a_network_of_the_list_is_reached_at_every_port_and_its_neighbours_are_not() -> None:
    policy = OutgoingPolicy(networks=("10.20.0.0/16", "fd00:1::/64"))
    assert allowed("10.20.3.4", policy, 5432)
    assert allowed("::ffff:10.20.3.4", policy, 5432)
    assert allowed("fd00:1::5", policy, 80)
    assert not allowed("10.21.0.1", policy, 443)
    assert is_listed(ipaddress.ip_address("10.20.0.1"), policy)
    assert not is_listed(ipaddress.ip_address("8.8.8.8"), policy)


@pytest.mark.parametrize("text", ["10.0.0.1/8", "ten", "10.0.0.0/33", "", "http://10.0.0.1"])
def test_an_invalid_network_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"Write one like 10\.20\.0\.0/16"):
        OutgoingPolicy(networks=(text,))
