"""Calls of every shared function, over fields i (long), x, y (double), s, u (string) and t (timestamp)."""

POLYGON = "'POLYGON ((-90 -45, 90 -45, 90 45, 0 45, -90 -45), (0 0, 10 0, 10 10, 0 0))'"
REAL = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *("degrees", "radians", "log2", "log10", "cbrt"),
)
DAYS = ("year", "quarter", "month", "week", "day")
CLOCK = ("hour", "minute", "second")
PARTS = (*DAYS, *CLOCK, "dayofweek", "dayofyear", "yearofweek")
CALLS = [
    *(f"{name}(x)" for name in REAL),
    "pi()",
    "pi() * x",
    "atan2(x, y)",
    *(f"{name}(s)" for name in ("reverse", "md5", "sha1", "sha256", "sha512", "crc32")),
    *(f"{name}(s, i)" for name in ("left", "right", "repeat", "lpad", "rpad")),
    "lpad(s, i, u)",
    "rpad(s, i, u)",
    "position(s in u)",
    "position(u, s)",
    "split(s, u)",
    "split(s, ',')",
    "levenshtein(s, u)",
    "levenshtein(s, 'aba')",
    "regexp_like(s, '^[a-z]+$')",
    "regexp_like(s, '\\\\p{L}\\\\d?')",
    "regexp_extract(s, '(a)|(b)', 2)",
    "length(regexp_extract(s, '.'))",
    "cast(regexp_extract(s, '\\\\d+') as long)",
    "regexp_replace(s, '(.)(.)', '$2$1')",
    "regexp_replace(s, 'x*', '-')",
    "regexp_replace(s, '\\\\W')",
    "regexp_count(s, 'a*')",
    "json_value(s, '$.a')",
    "json_value(s, '$[0].b')",
    "length(json_value(s, '$'))",
    "cast(json_value(s, '$[last]') as double)",
    "json_query(s, '$')",
    "json_query(s, '$.a[1]')",
    "json_exists(s, '$.é')",
    "coalesce(json_value(s, '$.b'), json_value(u, '$.b'))",
    *(f"extract('{part}', t{zone})" for part in PARTS for zone in ("", ", 'America/New_York'")),
    "extract(week from t)",
    *(
        f"date_trunc('{unit}', t, '{zone}')"
        for unit in (*DAYS, *CLOCK)
        for zone in ("UTC", "Europe/Berlin", "Australia/Lord_Howe")
    ),
    "at_timezone(t, 'Asia/Kathmandu')",
    "date_format(t, \"EEEE, d MMMM yyyy 'at' h:mm:ss.SSS a xxx\", 'Europe/Berlin')",
    "date_format(t, 'yyyyMMddHHmmssSSSSSS')",
    "st_distance(x, y, 13.4, 52.5)",
    f"st_within(x, y, {POLYGON})",
    "h3_cell(x, y, 9)",
]
