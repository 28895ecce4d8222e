"""The secrets among an adapter's options: taken in, sealed for storing, opened for use, concealed from everybody.

Whoever writes a stream gives a text for a secret, the placeholder `{"sealed": true}` to keep the stored one, or null to
have none. A secret is kept only for the connection for which it was given: with another kind of adapter, or another
address, it has to be given again, or whoever may edit a stream could have it sent to a server of theirs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import adapter_kind, output_kind, output_secrets_among, secrets_among
from streaming.definition.streams import AdapterChoice
from streaming.wire import sealed as forms
from webapp.core.secrets import keyring, seal


@dataclass(frozen=True)
class AdapterSide:
    """What is known of the kinds on one side: which options are secrets, and which say where these are sent.

    `addresses` raises `AdapterError` for a kind that there is none of.
    """

    secrets: Callable[[str, Mapping[str, Any]], frozenset[str]]
    addresses: Callable[[str], frozenset[str]]


INPUTS: Final = AdapterSide(secrets_among, lambda kind: adapter_kind(kind).addresses)
OUTPUTS: Final = AdapterSide(output_secrets_among, lambda kind: output_kind(kind).addresses)


def settled(given: AdapterChoice, stored: AdapterChoice | None, side: AdapterSide = INPUTS) -> AdapterChoice:
    """Return `given` with the `stored` secrets that it keeps and without those that are null.

    A placeholder stays where nothing is kept, and stands for every other form that is no text, so that `opened` refuses
    it: nobody can hand in what was sealed elsewhere.
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
    """Return `adapter` as it is stored, every text of a secret sealed."""
    options = dict(adapter.options)
    for name in side.secrets(adapter.kind, options):
        if isinstance(options.get(name), str):
            options[name] = seal(options[name])
    return AdapterChoice(kind=adapter.kind, options=options)


def opened(adapter: AdapterChoice, side: AdapterSide = INPUTS) -> AdapterChoice:
    """Return `adapter` with the texts of its secrets, to be used and forgotten.

    Raises `AdapterError` for a secret that is not there, or that the keys of the installation do not open.
    """
    names = side.secrets(adapter.kind, adapter.options)
    try:
        options = forms.opened(adapter.options, names, keyring()) if names else adapter.options
    except forms.SealBroken as broken:
        raise AdapterError(str(broken)) from None
    for name in sorted(names):
        if forms.is_placeholder(options.get(name)):
            raise AdapterError(
                f"The secret '{name}' is not kept for this connection as it is now; give its text, or null for none."
            )
    return AdapterChoice(kind=adapter.kind, options=dict(options))


def concealed(adapter: AdapterChoice, side: AdapterSide = INPUTS) -> AdapterChoice:
    """Return `adapter` as it is shown: the placeholder in place of every secret."""
    options = forms.concealed(adapter.options, side.secrets(adapter.kind, adapter.options))
    return AdapterChoice(kind=adapter.kind, options=options)


def replaced_secrets(before: AdapterChoice, after: AdapterChoice, side: AdapterSide = INPUTS) -> frozenset[str]:
    """Return the secrets that both have and that are not the same sealed value; a text that was given again is new."""
    both = side.secrets(after.kind, after.options) & before.options.keys() & after.options.keys()
    return frozenset(name for name in both if before.options[name] != after.options[name])
