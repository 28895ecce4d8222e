"""Places on the earth, in degrees of longitude (-180 to 180) and latitude (-90 to 90), in this order as in WKT.

Polygons are written in WKT: `POLYGON ((0 0, 4 0, 4 3, 0 0))`, with holes, and MULTIPOLYGON. Borders are straight lines
in degrees, and none crosses the antimeridian. A place is inside of a polygon if a line from it to the east crosses the
border an odd number of times.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeVar

import h3

from streaming.functions.failures import FunctionFailure, InvalidConstant

EARTH_RADIUS_M: Final = 6_371_008.8
"""The mean radius of WGS 84. Distances on this sphere differ from those on the ellipsoid by up to 0.6 %."""
MOST_RESOLUTION: Final = 15
Point = tuple[float, float]
Ring = tuple[Point, ...]
_Item = TypeVar("_Item")
_TOKEN: Final = re.compile(r"\s*([(),]|[A-Za-z]+|[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|.)", re.DOTALL)
_ROUNDING: Final = 1e-14
"""Above this share of its parts, the sign of a cross product in doubles is right."""


def _on_earth(longitude: float, latitude: float) -> None:
    if not (-180 <= longitude <= 180 and -90 <= latitude <= 90):
        raise FunctionFailure(f"longitude {longitude}, latitude {latitude} is no place on the earth")


def st_distance(longitude: float, latitude: float, other_longitude: float, other_latitude: float) -> float:
    """Return the metres between two places along a great circle of the sphere (haversine)."""
    _on_earth(longitude, latitude)
    _on_earth(other_longitude, other_latitude)
    one, other = math.radians(latitude), math.radians(other_latitude)
    across = math.sin(math.radians(other_longitude - longitude) / 2)
    along = math.sin((other - one) / 2)
    share = along * along + math.cos(one) * math.cos(other) * across * across
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(min(1.0, share)))


def check_polygon(text: str) -> None:
    """Raise `InvalidConstant` if `text` is not a polygon in WKT."""
    read_polygons(text)


def st_within(longitude: float, latitude: float, polygon: str) -> bool:
    """Return whether a place is inside of a polygon, and not on its border."""
    _on_earth(longitude, latitude)
    return any(each.contains(longitude, latitude) for each in read_polygons(polygon))


def check_resolution(resolution: int) -> None:
    """Raise `InvalidConstant` if H3 has no such resolution."""
    if not 0 <= resolution <= MOST_RESOLUTION:
        raise InvalidConstant(f"H3 has no resolution {resolution}", f"write a number from 0 to {MOST_RESOLUTION}")


def h3_cell(longitude: float, latitude: float, resolution: int) -> str:
    """Return the H3 cell that contains a place, in hexadecimal."""
    _on_earth(longitude, latitude)
    cell: str = h3.latlng_to_cell(latitude, longitude, resolution)
    return cell


@dataclass(frozen=True)
class Polygon:
    """Closed rings: the border, then holes."""

    rings: tuple[Ring, ...]

    def contains(self, x: float, y: float) -> bool:
        """Return whether a point is inside; the border is not."""
        outer = self.rings[0]
        if not (min(at[0] for at in outer) < x < max(at[0] for at in outer)):
            return False
        inside = False
        for ring in self.rings:
            for one, other in pairwise(ring):
                side = _side(one, other, x, y)
                if side == 0 and min(one[0], other[0]) <= x <= max(one[0], other[0]) and _between(one, other, y):
                    return False
                upward = other[1] > one[1]
                if (one[1] > y) != (other[1] > y) and (side > 0) == upward:
                    inside = not inside
        return inside


def _between(one: Point, other: Point, y: float) -> bool:
    return min(one[1], other[1]) <= y <= max(one[1], other[1])


def _side(one: Point, other: Point, x: float, y: float) -> float:
    """Return a number above 0 if the point is left of the line from `one` to `other`, 0 on it; its sign is exact."""
    first, second = (other[0] - one[0]) * (y - one[1]), (x - one[0]) * (other[1] - one[1])
    side = first - second
    if abs(side) > _ROUNDING * (abs(first) + abs(second)):
        return side
    left, bottom = Fraction(one[0]), Fraction(one[1])
    exact = (Fraction(other[0]) - left) * (Fraction(y) - bottom) - (Fraction(x) - left) * (Fraction(other[1]) - bottom)
    return (exact > 0) - (exact < 0)


@lru_cache(maxsize=256)
def read_polygons(text: str) -> tuple[Polygon, ...]:
    """Read a POLYGON or MULTIPOLYGON. Raises `InvalidConstant`."""
    return _WktReader(text).polygons()


class _WktReader:
    """Reads the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._tokens: Iterator[str] = (found[1] for found in _TOKEN.finditer(text.strip()))
        self._next = next(self._tokens, "")

    def polygons(self) -> tuple[Polygon, ...]:
        kind = self._take().upper()
        if kind not in ("POLYGON", "MULTIPOLYGON"):
            raise _unreadable(kind)
        found = tuple(self._listed(self._polygon)) if kind == "MULTIPOLYGON" else (self._polygon(),)
        if self._next:
            raise _unreadable(self._next)
        return found

    def _polygon(self) -> Polygon:
        return Polygon(tuple(self._listed(self._ring)))

    def _ring(self) -> Ring:
        points = tuple(self._listed(self._point))
        if len(points) < 4 or points[0] != points[-1]:
            message = "A ring of the polygon is not closed" if len(points) >= 4 else "A ring has fewer than 4 points"
            raise InvalidConstant(message, "end each ring with its first point: POLYGON ((0 0, 4 0, 4 3, 0 0))")
        return points

    def _point(self) -> Point:
        x, y = self._number(), self._number()
        if not (-180 <= x <= 180 and -90 <= y <= 90):
            message = f"The point {x:g} {y:g} of the polygon is no place on the earth"
            raise InvalidConstant(message, "write the longitude (-180 to 180) before the latitude (-90 to 90)")
        return x, y

    def _listed(self, read: Callable[[], _Item]) -> Iterator[_Item]:
        self._expect("(")
        yield read()
        while self._next == ",":
            self._take()
            yield read()
        self._expect(")")

    def _number(self) -> float:
        token = self._take()
        try:
            number = float(token)
        except ValueError:
            raise _unreadable(token) from None
        if not math.isfinite(number):
            raise _unreadable(token)
        return number

    def _take(self) -> str:
        token, self._next = self._next, next(self._tokens, "")
        return token

    def _expect(self, token: str) -> None:
        if self._next != token:
            raise _unreadable(self._next)
        self._take()


def _unreadable(token: str) -> InvalidConstant:
    at = f"{token[:20]!r}" if token else "its end"
    return InvalidConstant(f"The polygon can't be read at {at}", "write POLYGON ((longitude latitude, ...), hole, ...)")
