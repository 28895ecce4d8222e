"""Functions of places on the earth."""

from typing import Final

from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import entry
from streaming.definition.payload.types import BOOLEAN, DOUBLE, LONG, STRING
from streaming.functions import geography

PLACES: Final = (
    entry(
        "st_distance(longitude, latitude, longitude, latitude) -> double",
        "The metres between two places along a great circle, on the sphere with the mean radius of WGS 84 (6,371,008.8 "
        "m; within 0.6 % of the ellipsoid). Degrees, the longitude first as in WKT; null outside -180 to 180 and -90 "
        "to 90.",
        rules.taking(DOUBLE, DOUBLE, DOUBLE, DOUBLE, result=DOUBLE),
        4,
    ),
    entry(
        "st_within(longitude, latitude, polygon) -> boolean",
        "True if the place is inside of the literal polygon and not on its border: 'POLYGON ((0 0, 4 0, 4 3, 0 0))', "
        "also with holes, or a MULTIPOLYGON. Borders are straight lines in degrees and don't cross the antimeridian. "
        "Null for a place outside -180 to 180 and -90 to 90.",
        rules.with_constants(geography.check_polygon, (2,), DOUBLE, DOUBLE, STRING, result=BOOLEAN),
        3,
    ),
    entry(
        "h3_cell(longitude, latitude, resolution) -> string",
        "The H3 cell that contains the place, in hexadecimal; `resolution` is a literal from 0 (large) to 15. Null for "
        "a place outside -180 to 180 and -90 to 90.",
        rules.with_constants(geography.check_resolution, (2,), DOUBLE, DOUBLE, LONG, result=STRING),
        3,
    ),
)
