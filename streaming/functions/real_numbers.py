"""Functions of doubles by the C library, element by element: vectorised ones differ from it in the last digit."""

import math
from collections.abc import Callable
from typing import Final

from streaming.functions.failures import FunctionFailure


def _finite(function: Callable[..., float]) -> Callable[..., float]:
    """Return `function` with failures instead of errors and infinity."""

    def compute(*values: float) -> float:
        try:
            result = function(*values)
        except (ValueError, OverflowError) as error:
            kind: Final = "argument" if isinstance(error, ValueError) else "overflow"
            raise FunctionFailure(f"{function.__name__} of {values[0]} is not a finite double", kind) from None
        if not math.isfinite(result):
            raise FunctionFailure(f"{function.__name__} of {values[0]} is not a finite double", "overflow")
        return result

    return compute


def pi() -> float:
    """Return the double nearest to pi."""
    return math.pi


sin, cos, tan = _finite(math.sin), _finite(math.cos), _finite(math.tan)
asin, acos, atan, atan2 = _finite(math.asin), _finite(math.acos), _finite(math.atan), _finite(math.atan2)
sinh, cosh, tanh = _finite(math.sinh), _finite(math.cosh), _finite(math.tanh)
degrees, radians = _finite(math.degrees), _finite(math.radians)
log2, log10, cbrt = _finite(math.log2), _finite(math.log10), _finite(math.cbrt)
