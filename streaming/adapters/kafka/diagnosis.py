"""What failed between here and a topic, as a sentence: name, connection, TLS, sign-in, topic or permission."""

import socket
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.connection_options import KafkaConnectionOptions
from streaming.adapters.kafka.reaching import allowed_addresses, brokers_of
from streaming.adapters.network.fetching import Reach

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

CONNECT_S: Final = 5.0
"""So long one address is tried when it is asked why nothing answers."""


def is_refusal(error: "KafkaError") -> bool:
    """Whether trying again is of no use: who is there does not let us in, or is not trusted."""
    from confluent_kafka import KafkaError

    return error.code() in {KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED, KafkaError._SSL}


def is_of_topic(error: "KafkaError") -> bool:
    """Whether the brokers have answered: there is no such topic, or not for us."""
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
    """Why a request failed with `error`, after the client had `noted` others."""
    from confluent_kafka import KafkaError

    every = [error, *noted]
    codes = {each.code() for each in every}
    known = _of_topic(error, options)
    if known is not None:
        return known
    if codes & {KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED}:
        return AdapterError(
            f"The brokers {options.brokers} do not let '{options.user or 'nobody'}' sign in. Correct user, password "
            "and sign-in, or ask whoever runs the cluster."
        )
    if KafkaError._SSL in codes:
        why = next(each.str() for each in every if each.code() == KafkaError._SSL)
        return AdapterError(
            f"No encrypted connection to {options.brokers} comes about: {_certificate(why)} Correct the addresses, "
            "the encryption or the certificates.",
        )
    return _unanswered(options, reach)


def _of_topic(error: "KafkaError", options: KafkaConnectionOptions) -> AdapterError | None:
    from confluent_kafka import KafkaError

    who = f"user '{options.user}'" if options.user else "a client that does not sign in"
    told = {
        KafkaError.UNKNOWN_TOPIC_OR_PART: f"There is no topic '{options.topic}' on {options.brokers}, or {who} may not "
        "see it. Correct the name, have it made, or ask whoever runs the cluster.",
        KafkaError.TOPIC_AUTHORIZATION_FAILED: f"The topic '{options.topic}' is closed to {who}. Ask whoever runs the "
        "cluster for the right to use it.",
        KafkaError.CLUSTER_AUTHORIZATION_FAILED: f"The cluster at {options.brokers} refuses that to {who}. Ask whoever "
        "runs it for the right to describe the cluster, and to write to it where results are to go there.",
        KafkaError.GROUP_AUTHORIZATION_FAILED: f"The group of consumers is closed to {who}. Ask whoever runs the "
        "cluster for the right to use it.",
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: f"Transactions are closed to {who}. Ask whoever runs the "
        "cluster for the right to write with a transactional id that begins with 'punctual'.",
    }
    sentence = told.get(error.code())
    sentence = told[KafkaError.UNKNOWN_TOPIC_OR_PART] if error.code() == KafkaError._UNKNOWN_TOPIC else sentence
    return None if sentence is None else AdapterError(sentence)


def _certificate(why: str) -> str:
    if "certificate verify failed" in why or "verify" in why:
        return "the certificate is for another name, out of date, or of an authority that is not trusted here."
    return "what answers there does not speak TLS, or refuses ours."


def _unanswered(options: KafkaConnectionOptions, reach: Reach) -> AdapterError:
    """Try each broker from here; the first thing that does not work."""
    told = []
    for broker in brokers_of(options):
        for address in allowed_addresses(broker, options, reach):
            try:
                socket.create_connection((str(address), broker.port), CONNECT_S).close()
            except TimeoutError:
                told.append(f"{broker.shown} does not answer")
            except OSError:
                told.append(f"nothing listens at {broker.shown}")
    if told:
        return AdapterError(
            f"The cluster cannot be reached: {', '.join(dict.fromkeys(told))}. See whether the broker runs, and "
            "whether the address is right.",
            domain="external",
        )
    return AdapterError(
        f"{options.brokers} accepts connections, but does not answer as a broker does. Correct address and encryption "
        "(a port for TLS is silent to who speaks without, and the other way round), or try again later.",
        domain="external",
    )
