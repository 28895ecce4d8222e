"""The secrets among an adapter's options: taken in, sealed for storing, opened for use, concealed from everybody.

Whoever writes a stream gives a text for a secret, the placeholder `{"sealed": true}` to keep the stored one, or null to
have none. A secret is kept only for the connection for which it was given: with another kind of adapter, or another
address, it has to be given again, or whoever may edit a stream could have it sent to a server of theirs.
"""

from typing import Any

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import adapter_kind, secrets_among
from streaming.definition.streams import AdapterChoice
from streaming.wire import sealed as forms
from webapp.core.secrets import keyring, seal


def settled(given: AdapterChoice, stored: AdapterChoice | None) -> AdapterChoice:
    """Return `given` with the `stored` secrets that it keeps and without those that are null.

    A placeholder stays where nothing is kept, and stands for every other form that is no text, so that `opened` refuses
    it: nobody can hand in what was sealed elsewhere.
    """
    keeps = stored is not None and _same_connection(given, stored)
    options: dict[str, Any] = dict(given.options)
    for name in secrets_among(given.kind, options):
        value = options.get(name)
        if value is None:
            options.pop(name, None)
        elif isinstance(value, dict):
            kept = stored.options.get(name) if stored is not None and keeps and forms.is_placeholder(value) else None
            options[name] = dict(forms.PLACEHOLDER) if kept is None else kept
    return AdapterChoice(kind=given.kind, options=options)


def _same_connection(given: AdapterChoice, stored: AdapterChoice) -> bool:
    if given.kind != stored.kind:
        return False
    try:
        addresses = adapter_kind(given.kind).addresses
    except AdapterError:
        return False
    return all(given.options.get(name) == stored.options.get(name) for name in addresses)


def sealed(adapter: AdapterChoice) -> AdapterChoice:
    """Return `adapter` as it is stored, every text of a secret sealed."""
    options = dict(adapter.options)
    for name in secrets_among(adapter.kind, options):
        if isinstance(options.get(name), str):
            options[name] = seal(options[name])
    return AdapterChoice(kind=adapter.kind, options=options)


def opened(adapter: AdapterChoice) -> AdapterChoice:
    """Return `adapter` with the texts of its secrets, to be used and forgotten.

    Raises `AdapterError` for a secret that is not there, or that the keys of the installation do not open.
    """
    names = secrets_among(adapter.kind, adapter.options)
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


def concealed(adapter: AdapterChoice) -> AdapterChoice:
    """Return `adapter` as it is shown: the placeholder in place of every secret."""
    options = forms.concealed(adapter.options, secrets_among(adapter.kind, adapter.options))
    return AdapterChoice(kind=adapter.kind, options=options)


def replaced_secrets(before: AdapterChoice, after: AdapterChoice) -> frozenset[str]:
    """Return the secrets that both have and that are not the same sealed value; a text that was given again is new."""
    both = secrets_among(after.kind, after.options) & before.options.keys() & after.options.keys()
    return frozenset(name for name in both if before.options[name] != after.options[name])
