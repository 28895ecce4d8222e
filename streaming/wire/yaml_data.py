"""YAML, data only: no tags that build objects, no key that stands twice, and times stay text."""

from collections.abc import Hashable
from typing import Any

import yaml


class YamlError(ValueError):
    """Text that is not such YAML; the message names the line and what is wrong with it."""


class _Loader(yaml.SafeLoader):
    """YAML without timestamps, which the temporal model reads itself, and without repeated keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """As SafeLoader, but a key that stands twice is an error instead of hiding the first."""
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} stands twice", node.start_mark)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def yaml_documents(text: str) -> list[Any]:
    """All documents of `text`, empty ones as None. Raises `YamlError`."""
    try:
        return list(yaml.load_all(text, _Loader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlError(str(error)) from None


def yaml_data(text: str) -> Any:
    """The one document of `text`, None where it is empty. Raises `YamlError`."""
    documents = yaml_documents(text)
    if len(documents) > 1:
        raise YamlError(f"one document is expected, and there are {len(documents)}")
    return documents[0] if documents else None
