"""The secrets among an adapter's options: accepted, encrypted for storing, decrypted for use, concealed from everybody.

A change of a stream contains a text for a new secret, the placeholder `{"sealed": true}` to keep the stored one, or
null to remove it. A secret is kept only for the connection that it was entered for. With another kind of adapter, or
another address, it must be entered again; otherwise an editor of the stream could have it sent to their own server.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import adapter_kind, output_kind, output_secrets_among, secrets_among
from streaming.definition.streams.stream import AdapterChoice
from streaming.wire import sealed as forms
from webapp.core.secrets import keyring, seal


@dataclass(frozen=True)
class AdapterSide:
    """The kinds of adapters on one side: which options are secrets, and which options are the addresses they go to.

    `addresses` raises `AdapterError` for an unknown kind.
    """

    secrets: Callable[[str, Mapping[str, Any]], frozenset[str]]
    addresses: Callable[[str], frozenset[str]]


INPUTS: Final = AdapterSide(secrets_among, lambda kind: adapter_kind(kind).addresses)
OUTPUTS: Final = AdapterSide(output_secrets_among, lambda kind: output_kind(kind).addresses)


def settled(given: AdapterChoice, stored: AdapterChoice | None, side: AdapterSide = INPUTS) -> AdapterChoice:
    """Return `given` with the `stored` secrets that it keeps and without those that are null.

    Without a stored secret the placeholder stays; it also replaces every value that isn't text. `opened` refuses it, so
    nobody can use a value that was encrypted elsewhere.
    """
    keeps = stored is not None and _same_connection(given, stored, side)
    options: dict[str, Any] = dict(given.options)
    for name in side.secrets(given.kind, options):
        value = options.get(name)
        if value is None:
            options.pop(name, None)
        elif isinstance(value, dict):
            kept = stored.options.get(name) if stored is not None and keeps and forms.is_placeholder(value) else None
            options[name] = dict(forms.PLACEHOLDER) if kept is None else kept
    return AdapterChoice(kind=given.kind, options=options)


def _same_connection(given: AdapterChoice, stored: AdapterChoice, side: AdapterSide) -> bool:
    if given.kind != stored.kind:
        return False
    try:
        addresses = side.addresses(given.kind)
    except AdapterError:
        return False
    return all(given.options.get(name) == stored.options.get(name) for name in addresses)


def sealed(adapter: AdapterChoice, side: AdapterSide = INPUTS) -> AdapterChoice:
    """Return `adapter` as it is stored, every text of a secret encrypted."""
    options = dict(adapter.options)
    for name in side.secrets(adapter.kind, options):
        if isinstance(options.get(name), str):
            options[name] = seal(options[name])
    return AdapterChoice(kind=adapter.kind, options=options)


def opened(adapter: AdapterChoice, side: AdapterSide = INPUTS) -> AdapterChoice:
    """Return `adapter` with the texts of its secrets, for immediate use only.

    Raises `AdapterError` for a missing secret, or one that the keys of the installation do not decrypt.
    """
    names = side.secrets(adapter.kind, adapter.options)
    try:
        options = forms.opened(adapter.options, names, keyring()) if names else adapter.options
    except forms.SealBroken as broken:
        raise AdapterError(str(broken)) from None
    for name in sorted(names):
        if forms.is_placeholder(options.get(name)):
            raise AdapterError(
                f"The secret '{name}' is not stored for the present connection. Enter its text, or null for none."
            )
    return AdapterChoice(kind=adapter.kind, options=dict(options))


def concealed(adapter: AdapterChoice, side: AdapterSide = INPUTS) -> AdapterChoice:
    """Return `adapter` as it is shown: the placeholder instead of every secret."""
    options = forms.concealed(adapter.options, side.secrets(adapter.kind, adapter.options))
    return AdapterChoice(kind=adapter.kind, options=options)


def replaced_secrets(before: AdapterChoice, after: AdapterChoice, side: AdapterSide = INPUTS) -> frozenset[str]:
    """Return the secrets that both have with different encrypted values; a text that was entered again is new."""
    both = side.secrets(after.kind, after.options) & before.options.keys() & after.options.keys()
    return frozenset(name for name in both if before.options[name] != after.options[name])
