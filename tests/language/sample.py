"""Draw interface and error strings to read: `python -m tests.language.sample --seed 36 --count 60`."""

import argparse
import random

from tests.language.texts import Text, all_paths, texts_of

SHOWN_WORDS = 3
"""Shorter strings are mostly keys, formats and parts of sentences."""


def draw(texts: list[Text], seed: int, count: int) -> list[Text]:
    """Return `count` of the strings in `texts` that have at least SHOWN_WORDS words."""
    strings = [each for each in texts if each.kind in {"interface", "string"} and len(each.text.split()) >= SHOWN_WORDS]
    return random.Random(seed).sample(strings, count)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    for text in draw(texts_of(all_paths()), options.seed, options.count):
        print(f"{text.path}:{text.line}\n    {' '.join(text.text.split())}")
