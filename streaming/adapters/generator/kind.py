"""The registry entry of the kind `generator`."""

from streaming.adapters.generator.adapter import GeneratorAdapter
from streaming.adapters.generator.columns import FIELDS
from streaming.adapters.generator.options import GeneratorOptions
from streaming.adapters.kinds import InputKind

KIND = InputKind(
    "generator",
    "Generator",
    GeneratorOptions,
    GeneratorAdapter,
    sends_ctis=False,
    fields=FIELDS,
    menu=2,
    ends=lambda options: options.total_rows is not None and options.lanes == 1,
)
