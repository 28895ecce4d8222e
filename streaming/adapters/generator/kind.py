"""The kind `generator`, as the registry knows it."""

from streaming.adapters.generator.adapter import FIELDS, GeneratorAdapter
from streaming.adapters.generator.options import GeneratorOptions
from streaming.adapters.kinds import InputKind

KIND = InputKind("generator", "Generator", GeneratorOptions, GeneratorAdapter, sends_ctis=False, fields=FIELDS, menu=2)
