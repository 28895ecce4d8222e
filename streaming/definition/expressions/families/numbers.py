"""Functions of numbers; those of doubles are the C library's, so all executors agree to the last bit."""

from typing import Final

from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import entry
from streaming.definition.payload.types import DOUBLE

_constant = rules.taking(result=DOUBLE)
_double = rules.taking(DOUBLE, result=DOUBLE)
_two_doubles = rules.taking(DOUBLE, DOUBLE, result=DOUBLE)

NUMBERS: Final = (
    entry(
        "abs(number)", "The value without its sign, of the same type; null for the smallest long.", rules.of_any_number
    ),
    entry(
        "ceil(number) -> long or decimal(p-s+1,0)",
        "The smallest whole number that is not below it; null if that of a double is outside 64 bits.",
        rules.to_whole_number,
    ),
    entry(
        "floor(number) -> long or decimal(p-s+1,0)",
        "The largest whole number that is not above it; null if that of a double is outside 64 bits.",
        rules.to_whole_number,
    ),
    entry(
        "round(number[, digits])",
        "A long is unchanged. A double is sign(x) * floor(|x| * 10^d + 0.5) / 10^d, each step in doubles; x itself if "
        "|x| * 10^d is 2^52 or more. `digits` is a whole literal from 0 to 15, default 0. Cast decimals instead.",
        rules.rounded,
        1,
        2,
    ),
    entry("sqrt(double)", "The square root; null below zero.", _double),
    entry("pow(double, double)", "The first to the power of the second.", _two_doubles, 2),
    entry("ln(double)", "The natural logarithm; null at zero and below.", _double),
    entry("exp(double)", "e to the power of the argument.", _double),
    entry("log2(double)", "The logarithm to base 2; null at zero and below.", _double),
    entry("log10(double)", "The logarithm to base 10; null at zero and below.", _double),
    entry("cbrt(double)", "The cube root.", _double),
    entry("pi()", "The double nearest to the ratio of a circle's circumference to its diameter.", _constant, 0),
    entry("sin(radians)", "The sine of an angle in radians.", _double),
    entry("cos(radians)", "The cosine of an angle in radians.", _double),
    entry("tan(radians)", "The tangent of an angle in radians.", _double),
    entry("asin(double)", "The angle in radians with this sine, from -pi/2 to pi/2; null outside -1 to 1.", _double),
    entry("acos(double)", "The angle in radians with this cosine, from 0 to pi; null outside -1 to 1.", _double),
    entry("atan(double)", "The angle in radians with this tangent, from -pi/2 to pi/2.", _double),
    entry(
        "atan2(y, x)", "The angle in radians of the point (x, y), from -pi to pi; 0 for the origin.", _two_doubles, 2
    ),
    entry("sinh(double)", "The hyperbolic sine.", _double),
    entry("cosh(double)", "The hyperbolic cosine.", _double),
    entry("tanh(double)", "The hyperbolic tangent.", _double),
    entry("degrees(radians)", "An angle in degrees.", _double),
    entry("radians(degrees)", "An angle in radians.", _double),
)
