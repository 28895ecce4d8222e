"""Explanations of failed connections to a topic: name, connection, TLS, sign-in, topic or permission."""

import socket
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.connection_options import KafkaConnectionOptions
from streaming.adapters.kafka.reaching import BrokerRefused, allowed_addresses, brokers_of
from streaming.adapters.network.fetching import Reach

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

CONNECT_S: Final = 5.0
"""The time to try one address when diagnosing why nothing answers."""


def is_refusal(error: "KafkaError") -> bool:
    """Return True if a retry is useless: the other side refuses us, or is not trusted."""
    from confluent_kafka import KafkaError

    if isinstance(error, BrokerRefused):
        return True
    return error.code() in {KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED, KafkaError._SSL}


def is_of_topic(error: "KafkaError") -> bool:
    """Return True if the brokers have answered that the topic does not exist or is not allowed."""
    from confluent_kafka import KafkaError

    return error.code() in {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    }


def explained(
    error: "KafkaError", noted: Collection["KafkaError"], options: KafkaConnectionOptions, reach: Reach
) -> AdapterError:
    """Explain why a request failed with `error`, after the client had `noted` other errors."""
    from confluent_kafka import KafkaError

    every = [error, *noted]
    refused = next((each for each in every if isinstance(each, BrokerRefused)), None)
    if refused is not None:
        return refused.why
    codes = {each.code() for each in every}
    known = _of_topic(error, options)
    if known is not None:
        return known
    if codes & {KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED}:
        return AdapterError(
            f"The brokers {options.brokers} refuse the sign-in of '{options.user or 'nobody'}'. Correct the user, "
            "password and sign-in mechanism, or contact the cluster's administrator."
        )
    if KafkaError._SSL in codes:
        why = next(each.str() for each in every if each.code() == KafkaError._SSL)
        return AdapterError(
            f"No encrypted connection to {options.brokers} can be made: {_certificate(why)} Correct the addresses, "
            "the encryption or the certificates.",
        )
    return _unanswered(options, reach)


def _of_topic(error: "KafkaError", options: KafkaConnectionOptions) -> AdapterError | None:
    from confluent_kafka import KafkaError

    who = f"user '{options.user}'" if options.user else "a client that does not sign in"
    messages = {
        KafkaError.UNKNOWN_TOPIC_OR_PART: f"There is no topic '{options.topic}' on {options.brokers}, or {who} may not "
        "see it. Correct the name, create the topic, or contact the cluster's administrator.",
        KafkaError.TOPIC_AUTHORIZATION_FAILED: f"The topic '{options.topic}' is not open to {who}. Ask the cluster's "
        "administrator for the right to use it.",
        KafkaError.CLUSTER_AUTHORIZATION_FAILED: f"The cluster at {options.brokers} refuses this to {who}. Ask its "
        "administrator for the right to describe the cluster, and to write to it if results are sent there.",
        KafkaError.GROUP_AUTHORIZATION_FAILED: f"The consumer group is not open to {who}. Ask the cluster's "
        "administrator for the right to use it.",
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: f"Transactions are not open to {who}. Ask the cluster's "
        "administrator for the right to write with a transactional id that begins with 'punctual'.",
    }
    sentence = messages.get(error.code())
    sentence = messages[KafkaError.UNKNOWN_TOPIC_OR_PART] if error.code() == KafkaError._UNKNOWN_TOPIC else sentence
    return None if sentence is None else AdapterError(sentence)


def _certificate(why: str) -> str:
    if "certificate verify failed" in why or "verify" in why:
        return "the certificate is for another name, has expired, or is from an authority that is not trusted here."
    return "the server does not speak TLS, or refuses our TLS settings."


def _unanswered(options: KafkaConnectionOptions, reach: Reach) -> AdapterError:
    """Try each broker from here, and report those that don't answer."""
    problems = []
    for broker in brokers_of(options):
        for address in allowed_addresses(broker, options, reach):
            try:
                socket.create_connection((str(address), broker.port), CONNECT_S).close()
            except TimeoutError:
                problems.append(f"{broker.address} does not answer")
            except OSError:
                problems.append(f"nothing listens at {broker.address}")
    if problems:
        return AdapterError(
            f"The cluster can't be reached: {', '.join(dict.fromkeys(problems))}. Check that the broker is running and "
            "that the address is right.",
            domain="external",
        )
    return AdapterError(
        f"{options.brokers} accepts connections, but does not answer like a broker. Correct the address and encryption "
        "(a TLS port does not answer unencrypted clients, and the other way round), or try again later.",
        domain="external",
    )
