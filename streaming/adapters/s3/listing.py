"""A page of the list of a bucket, in S3's XML."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import unquote
from xml.etree import ElementTree  # nosec B405 # entities are refused: see below

from streaming.adapters.contract import AdapterError

_TAG: Final = re.compile(r"[\x21-\x7e]{1,256}")


@dataclass(frozen=True)
class ListedObject:
    """An object in a list; `modified_ns` since 1970, `tag` is its ETag as it must be sent back, in quotes."""

    key: str
    modified_ns: int
    size: int
    tag: str


@dataclass(frozen=True)
class ListedPage:
    """A page of a list; `next` leads to the following page, empty at the end; `prefixes` are those of further keys."""

    objects: list[ListedObject]
    next: str
    prefixes: list[str]


def read_listing(body: bytes, shown: str) -> ListedPage:
    """Parse a page. Raises `AdapterError` for an invalid one: any server may have answered."""
    try:
        text = body.decode()
        if "<!" in text:  # a document type could define expanding entities; S3 writes neither these nor comments
            raise ValueError("a document type")
        root = ElementTree.fromstring(text)  # nosec B314
        names = {each.tag: each.tag.rpartition("}")[2] for each in root.iter()}
        found = [_object(each, names) for each in root if names[each.tag] == "Contents"]
        more = _texts(root, names)
        below = [_texts(each, names)["Prefix"] for each in root if names[each.tag] == "CommonPrefixes"]
        following = more.get("NextContinuationToken", "") if more.get("IsTruncated") == "true" else ""
    except (ValueError, KeyError, RecursionError, ElementTree.ParseError):
        raise AdapterError(
            f"The server of {shown} did not return an S3 list of objects. Correct the endpoint."
        ) from None
    return ListedPage(found, following, [unquote(each) for each in below])


def _object(element: ElementTree.Element, names: dict[str, str]) -> ListedObject:
    texts = _texts(element, names)
    changed = datetime.fromisoformat(texts["LastModified"])
    tag = texts["ETag"]
    if changed.tzinfo is None or not _TAG.fullmatch(tag):
        raise ValueError("no time or no tag")
    modified_ns = int(changed.timestamp() * 1_000_000) * 1_000
    return ListedObject(unquote(texts["Key"]), modified_ns, int(texts["Size"]), tag)


def _texts(element: ElementTree.Element, names: dict[str, str]) -> dict[str, str]:
    return {names[each.tag]: each.text or "" for each in element}
