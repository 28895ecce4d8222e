"""Modules of a transcript, written as text (WAT): its functions name them, and the hash of their bytes takes the place
of the name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wasmtime import WasmtimeError, wat2wasm

from streaming.definition.faults import Fault, FaultCode, error
from streaming.definition.own_functions.modules import declare_module
from streaming.wasm.function import BadModule
from streaming.wasm.machine import CompiledModule
from streaming.wasm.modules import provide


@dataclass(frozen=True)
class TranscriptModules:
    """The hashes of the valid modules by name, and the errors of the others."""

    hashes: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def in_graph(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the graph with hashes instead of names."""
        functions = raw.get("functions")
        if not isinstance(functions, list):
            return dict(raw)
        return {**raw, "functions": [self._in_function(each) for each in functions]}

    def in_text(self, sql: str) -> str:
        """Return the text with hashes instead of names."""
        for name, module in self.hashes.items():
            sql = re.sub(rf"\bMODULE\s+'{name}'", f"MODULE '{module}'", sql)
        return sql

    def _in_function(self, function: Any) -> Any:
        if not isinstance(function, dict) or "module" not in function:
            return function
        return {**function, "module": self.hashes.get(function["module"], function["module"])}


def read_modules(texts: Mapping[str, str]) -> TranscriptModules:
    """Read the modules of a transcript, and make them known to this process."""
    hashes: dict[str, str] = {}
    faults: list[Fault] = []
    for name, text in texts.items():
        try:
            content = bytes(wat2wasm(text))
            declare_module(hashes.setdefault(name, provide(content)), CompiledModule(content).description)
        except WasmtimeError as wrong:
            message = f"The module {name!r} can't be read: {str(wrong).splitlines()[0]}."
            faults.append(error(FaultCode.BAD_MODULE, message, "Correct its text.", field=f"modules.{name}"))
        except BadModule as wrong:
            faults.append(error(FaultCode.BAD_MODULE, wrong.message, wrong.remedy, field=f"modules.{name}"))
    return TranscriptModules(hashes, tuple(faults))
