"""YAML, data only: no tags that build objects, no repeated keys, and times stay text."""

import math
from collections.abc import Hashable
from typing import Any

import yaml


class YamlError(ValueError):
    """Text that isn't YAML of this kind; the message names the line and the problem."""


class _Loader(yaml.SafeLoader):
    """YAML without timestamps, which the temporal model reads itself, and without repeated keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Like SafeLoader, but a repeated key is an error instead of hiding the first."""
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} occurs twice", node.start_mark)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def yaml_documents(text: str) -> list[Any]:
    """Return all documents of `text`, empty ones as None. Raises `YamlError`."""
    try:
        return list(yaml.load_all(text, _Loader))
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        place = "" if at is None else f"line {at.line + 1}, column {at.column + 1}: "
        raise YamlError(place + ", ".join(filter(None, (error.context, error.problem)))) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlError(" ".join(str(error).split())) from None


def yaml_data(text: str) -> Any:
    """Return the only document of `text`, None if it is empty. Raises `YamlError`."""
    documents = yaml_documents(text)
    if len(documents) > 1:
        raise YamlError(f"expected one document, found {len(documents)}")
    return documents[0] if documents else None


def quoted_yaml(text: str) -> str:
    """Return `text` as a YAML string in double quotes, on one line."""
    return yaml.safe_dump(str(text), default_style='"', allow_unicode=True, width=math.inf).rstrip("\n")
