"""The brokers that we may connect to, and the client's settings for them."""

import ipaddress
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.connection_options import KafkaConnectionOptions
from streaming.adapters.network.addresses import Address, is_allowed, is_listed
from streaming.adapters.network.fetching import Reach

_BROKER: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_ONE_LINE: Final = re.compile(r"(?P<begin>-----BEGIN [A-Z ]+-----)(?P<body>[^-]+)(?P<end>-----END [A-Z ]+-----)")
_USUAL_PORT: Final = 9092
_PROTOCOLS: Final = {
    ("none", False): "plaintext",
    ("none", True): "sasl_plaintext",
    ("tls", False): "ssl",
    ("tls", True): "sasl_ssl",
}
_MECHANISMS: Final = {"plain": "PLAIN", "scram_sha_256": "SCRAM-SHA-256", "scram_sha_512": "SCRAM-SHA-512"}


@dataclass(frozen=True)
class BrokerAddress:
    """Host (an IPv6 address without brackets) and port of a broker."""

    host: str
    port: int

    @property
    def address(self) -> str:
        """The address as it is written in options."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class BrokerRefused:
    """A broker that we may not connect to, in the form of the client's errors (`code`, `str`)."""

    def __init__(self, why: AdapterError) -> None:
        self.why = why

    def code(self) -> int:
        """The code of an address that can't be resolved."""
        from confluent_kafka import KafkaError

        return int(KafkaError._RESOLVE)

    def str(self) -> str:
        """The message."""
        return str(self.why)


def brokers_of(options: KafkaConnectionOptions) -> Sequence[BrokerAddress]:
    """The brokers in the options. Raises `AdapterError` for an invalid address."""
    return [_read(text.strip()) for text in options.brokers.split(",")]


def _read(text: str) -> BrokerAddress:
    found = _BROKER.fullmatch(text)
    port = int(found["port"] or _USUAL_PORT) if found else 0
    if found is None or not 0 < port < 65_536:
        raise AdapterError(
            f"'{text}' isn't the address of a broker. Write it as name:port, for example kafka.example:9092."
        )
    return BrokerAddress(found["host"].strip("[]"), port)


def allowed_addresses(broker: BrokerAddress, options: KafkaConnectionOptions, reach: Reach) -> Sequence[Address]:
    """The addresses of `broker`, after checking that all are allowed. Raises `AdapterError`.

    The error is the same for an unknown name and for a forbidden address, so that it reveals nothing about our network.
    """
    try:
        found = [ipaddress.ip_address(text) for text in _texts(broker.host, reach)]
    except (OSError, ValueError):
        found = []
    allowed = all(is_allowed(each, broker.port, reach.policy) for each in found)
    if options.security == "none":
        allowed = allowed and all(is_listed(each, reach.policy) for each in found)
    if not found or not allowed:
        without = " without TLS" if options.security == "none" else ""
        raise AdapterError(
            f"The broker {broker.address} can't be reached: its name is unknown, or its network or port is not allowed"
            f"{without} here. Correct the address, or ask your administrator to allow its network "
            "(PUNCTUAL_OUTGOING_NETWORKS).",
            domain="external",
        )
    return found


def require_first_allowed(options: KafkaConnectionOptions, reach: Reach) -> None:
    """Refuse a cluster if one of the brokers in the options is forbidden. Raises `AdapterError`."""
    for broker in brokers_of(options):
        allowed_addresses(broker, options, reach)


def require_named_allowed(nodes: Iterable[Any], options: KafkaConnectionOptions, reach: Reach) -> None:
    """Refuse a cluster that names a forbidden broker, with `host` and `port`. Raises `AdapterError`.

    Otherwise an attacker's cluster could direct the client to any internal address.
    """
    for node in nodes:
        try:
            allowed_addresses(BrokerAddress(node.host, node.port), options, reach)
        except AdapterError as error:
            why = f"{error} The cluster at {options.brokers} lists it as one of its brokers."
            raise AdapterError(why, domain=error.domain) from None


def _texts(host: str, reach: Reach) -> Iterator[str]:
    try:
        yield str(ipaddress.ip_address(host))
    except ValueError:
        yield from reach.resolve(host)


def in_lines(pem: str) -> str:
    """Restore the line ends of a PEM key, which are lost when it is pasted into the one-line field of a secret."""
    found = None if "\n" in pem else _ONE_LINE.fullmatch(pem.strip())
    return pem if found is None else "\n".join([found["begin"], found["body"].strip(), found["end"], ""])


def client_settings(options: KafkaConnectionOptions) -> dict[str, Any]:
    """The settings of every client of the cluster; only the listed options contain the user's own text."""
    signs_in = options.sign_in != "none"
    settings: dict[str, Any] = {
        "bootstrap.servers": ",".join(broker.address for broker in brokers_of(options)),
        "security.protocol": _PROTOCOLS[options.security, signs_in],
        "client.id": "punctual",
        "log_level": 0,
        "allow.auto.create.topics": False,
        "reconnect.backoff.max.ms": 1_000,
        "socket.connection.setup.timeout.ms": 10_000,
    }
    if signs_in and options.password is not None:
        settings["sasl.mechanism"] = _MECHANISMS[options.sign_in]
        settings["sasl.username"] = options.user
        settings["sasl.password"] = options.password.get_secret_value()
    if options.certificate_authority is not None:
        settings["ssl.ca.pem"] = options.certificate_authority
    if options.client_certificate is not None and options.client_key is not None:
        settings["ssl.certificate.pem"] = options.client_certificate
        settings["ssl.key.pem"] = in_lines(options.client_key.get_secret_value())
    return settings
