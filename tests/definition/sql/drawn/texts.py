"""Drawn texts: printed graphs and usual texts, with random comments, with and without mistakes."""

from hypothesis import strategies as st

from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.tokens import lex
from tests.definition.sql.drawn.graphs import GRAPHS
from tests.definition.sql.drawn.settings import EVENT_TIMES, SETTINGS, settings_of

WRITTEN = [
    "SELECT STREAM * FROM cars",
    "INSERT INTO out SELECT STREAM * FROM cars;",
    "INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120",
    "insert into fast select stream plate, speed * 1.6 as kmh from cars where speed > 120 and plate like 'B%';",
    """INSERT INTO alerts
SELECT STREAM plate, COUNT(*) AS n, AVG(speed) AS avg_speed, MAXK_UNIQUE(speed, 3) AS top_speeds
FROM cars EVENTTIME BY _value.seen_at
WHERE speed > 120
WINDOW BY HOP 5m,1m GRACE BY 30s
GROUP BY plate EMIT FINAL;
""",
    """-- The fast ones, by plate.
QUERY speeding;

WITH
  fast AS (SELECT STREAM * FROM cars WHERE speed > 120), -- above the limit
  /* five minutes */ per_plate AS (
    SELECT STREAM plate, COUNT(*) AS n  -- how often
    FROM fast WINDOW BY TUMBLE 5m GROUP BY plate
  )
-- written out
INSERT INTO out SELECT STREAM * FROM per_plate; -- that is all
ADVANCE TIME cars EVERY 10 DELAY 5s LATE DROP;
""",
    """WITH cars AS (STREAM traffic EVENTTIME BY `from`.at UNIT ms), owners AS (STREAM owners),
  owned AS (SELECT STREAM * FROM cars JOIN owners ON cars.plate = owners.plate WHERE since < at)
INSERT INTO a SELECT STREAM plate, owner FROM owned;
INSERT INTO b TIMESTAMP BY point_at_end SELECT STREAM * FROM owned;""",
    "SELECT c.plate, d.speed AS x FROM cars c /* who */ LEFT JOIN drivers d ON c.plate = d.no WHERE d.no IS NULL;",
    "SELECT a.k, SUM(b.v) AS s FROM a JOIN b ON a.k = b.k AND a.v > b.v WINDOW BY TUMBLE 5m GROUP BY a.k;",
    """SELECT STREAM * FROM a WHERE n > 1 UNION ALL SELECT STREAM * FROM b
UNION ALL SHIFT c BY -5m;""",
    "WITH ended AS (CLIP logins BY logouts ON user), whole AS (TO INTERVALS edges), o AS (ORDER EDGES edges);",
    """INSERT INTO o SELECT STREAM k, COUNT(*) * 2 AS twice FROM s WINDOW BY SESSION 1m MAX 1h GROUP BY k
HAVING COUNT(*) > 1 EMIT RUNNING RETRACT;""",
    "SELECT STREAM SUM(a) / COUNT(*) AS mean, plate AS p FROM s WINDOW BY COUNT 3 GROUP BY plate HAVING AVG(n) > 1;",
    "WITH w AS (SELECT STREAM k, speed + 1 AS s FROM s WINDOW BY SNAPSHOT TOP 2 BY speed) INSERT INTO o POINT AT END w",
    "INSERT INTO o SELECT STREAM * FROM s WINDOW BY TUMBLE 1h ALIGN 5m GROUP BY k TOP 3 BY speed;",
    "INSERT INTO o SELECT STREAM * FROM (SELECT STREAM * FROM a WHERE n > 1) AS x LEFT ANTI JOIN b AS y USING (k);",
    "INSERT INTO o SELECT STREAM a.k, w FROM a ASOF JOIN b ON a.k = b.k;\nINSERT INTO p SET DURATION a TO 5m;",
    "WITH d AS (SET DURATION a TO n * 2), e AS (EXTEND a BY 1h), p AS (POINT AT END e) INSERT INTO o ORDER EDGES p",
    """ADVANCE TIME a PRESET watermark(5s);
ADVANCE TIME b EVERY 10s DELAY -1tick BASIS max FINAL IMPORT FROM a LATE KEEP OVER k IDLE AFTER 1m IDLE advance
  MAX AHEAD 5m FUTURE drop;
INSERT INTO o SELECT STREAM * FROM a LEFT JOIN b USING (k) ON v > w;""",
    """INSERT INTO o SELECT STREAM k, SUM(v) FILTER (WHERE v > 0) AS total, PERCENTILE_CONT(v, 0.5) AS mid FROM s
WINDOW BY TIMEINTERVAL 10s,5s,1s DISCARD 15s GROUP BY k EMPTY DEFAULT GAP 1h GROUPS ((k => 'a'), (k => NULL));""",
]
COMMENTS = ["-- so\n", "/* so */", "/* two\nlines */", "-- it's; WITH x AS (\n", "\n\n", "/* it's ; */", "--\n"]


@st.composite
def printed(draw: st.DrawFn) -> str:
    """Draw the text of any graph with settings."""
    graph = draw(GRAPHS)
    advance = draw(settings_of(graph, SETTINGS))
    return print_sql(graph, advance=advance, event_times=draw(settings_of(graph, EVENT_TIMES)))


@st.composite
def commented(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """Draw a text with comments and line breaks between some of its words."""
    text = draw(texts)
    tokens = lex(text).tokens
    for _ in range(draw(st.integers(0, 4))):
        at = tokens[draw(st.integers(0, len(tokens) - 1))].start
        text = f"{text[:at]} {draw(st.sampled_from(COMMENTS))} {text[at:]}"
        tokens = lex(text).tokens
    return text


TEXTS = commented(st.sampled_from(WRITTEN) | st.sampled_from(WRITTEN) | printed())


@st.composite
def mistaken(draw: st.DrawFn) -> str:
    """Draw a text with some characters or words removed, doubled, swapped or added."""
    text = draw(TEXTS)
    for _ in range(draw(st.integers(1, 4))):
        spans = [(token.start, token.end) for token in lex(text).tokens]
        if draw(st.booleans()):
            spans = [(at, at + 1) for at in range(len(text))]
        if len(spans) < 2:
            return text
        one, other = (spans[draw(st.integers(0, len(spans) - 1))] for _ in range(2))
        text = changed(text, one, other, draw(st.sampled_from(["delete", "double", "swap", "insert"])), draw(INSERTED))
    return text


INSERTED = st.one_of(
    st.sampled_from(
        ["'", '"', "`", "(", ")", ",", ";", "--", "/*", "*/", ".", "=", "\\", "😀", "\x00", "\n", "5m", "*"]
    ),
    st.sampled_from([" SELECT ", " FROM ", " WHERE ", " WINDOW BY ", " AS ", " UNION ALL ", " JOIN ", " EXPRESSION "]),
    st.sampled_from([" WITH ", " INSERT INTO ", " NODE ", " STREAM ", " EMPTY ", " ADVANCE TIME ", " GROUPS ", " x "]),
    st.text(min_size=1, max_size=3),
)


def changed(text: str, one: tuple[int, int], other: tuple[int, int], how: str, new: str) -> str:
    first, second = sorted([one, other])
    if how == "delete":
        return text[: one[0]] + text[one[1] :]
    if how == "double":
        return text[: one[1]] + text[one[0] :]
    if how == "insert" or first[1] > second[0]:
        return text[: one[0]] + new + text[one[0] :]
    moved = text[slice(*second)] + text[first[1] : second[0]] + text[slice(*first)]
    return text[: first[0]] + moved + text[second[1] :]
