"""Many simultaneous slow requests, and endless work."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.attacks.asking import describe
from tests.attacks.bombs import stream_of_one_text
from tests.attacks.stage import Stage, counted

AT_ONCE = 40
TRANSCRIPT = """
name: long
streams: {{s: {{shape: point, fields: {{}}, advance: {{generate: {{every: 1}}, late: drop}}}}}}
query:
  nodes:
    - {{id: s, kind: input, stream: s}}
    - id: w
      kind: window
      input: s
      window: {{kind: hopping, size: 5000, hop: 1}}
      aggregates: [{{name: n, function: count}}]
    - {{id: out, kind: output, input: w}}
input:
{rows}
expect: {{events: []}}
"""


def crowd(ask: Callable[[], httpx.Response]) -> str:
    """Send AT_ONCE simultaneous requests; return the different answers."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = [each.result() for each in [threads.submit(ask) for _ in range(AT_ONCE)]]
    return counted(str(each.status_code) for each in answers)


def slow_query() -> str:
    """Return a query of 180 filters with 70 conditions each."""
    where = " AND ".join(["speed > 1"] * 70)
    steps = [f"n{at} AS (SELECT STREAM * FROM {f'n{at - 1}' if at else 'cars'} WHERE {where})" for at in range(180)]
    return f"QUERY q;\nWITH {', '.join(steps)} INSERT INTO out SELECT STREAM * FROM n179;\n"


def checks_of_slow_queries(stage: Stage) -> str:
    text = slow_query()
    return crowd(lambda: stage.viewer.post("queries/validate/", json={"text": text}))


def explanations_of_slow_queries(stage: Stage) -> str:
    text = slow_query()
    return crowd(lambda: stage.viewer.post("queries/explain/", json={"text": text}))


def completions_in_slow_queries(stage: Stage) -> str:
    text = slow_query()
    return crowd(lambda: stage.viewer.post("queries/complete/", json={"text": text, "at": len(text) - 5}))


def samples_of_a_bomb(stage: Stage) -> str:
    stream = stream_of_one_text(stage)
    return crowd(lambda: stage.viewer.get(f"{stream}sample/"))


def transcripts_of_slow_queries(stage: Stage) -> str:
    """Run transcripts of five thousand rows, each in five thousand windows."""
    rows = "\n".join(f"  - {{stream: s, start: {at}}}" for at in range(5_000))
    body = {"name": "long.yaml", "text": TRANSCRIPT.format(rows=rows)}
    return crowd(lambda: stage.mallory.post("transcripts/run/", json=body))


def plans_of_a_megabyte(stage: Stage) -> str:
    """Send six simultaneous applies with 1.1 MB of queries."""
    (stage.files / "cars.jsonl").write_text('{"at": 1, "speed": 2.0}\n')
    definition = "shape: point\nfields: {speed: double}\nevent_time: {start: {column: at, unit: us}}\n"
    clock = "advance: {generate: {every: 1, delay: 5s}, late: drop}\n"
    files = {"streams/cars.yaml": f"{definition}{clock}adapter: {{kind: file, options: {{path: cars.jsonl}}}}\n"}
    where = " AND ".join(["speed > 1"] * 700)
    for at in range(115):
        files[f"queries/q{at}.sql"] = f"QUERY q{at};\nINSERT INTO out SELECT STREAM * FROM cars WHERE {where};\n"
    planned = stage.mallory.post("definitions/plan/", json={"files": files})
    if planned.status_code != 200:
        return f"no plan: {describe(planned)}"
    body = {"files": files, "token": planned.json()["token"]}
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: stage.mallory.post("definitions/apply/", json=body), range(6)))
    return counted(describe(each) for each in answers)


def event_streams(stage: Stage) -> str:
    """Open a hundred event streams of the same run."""
    opened, refused = [], 0
    for _ in range(100):
        address = f"runs/{stage.numbered.run}/events/"
        request = stage.victim.build_request("GET", address, headers={"Accept": "text/event-stream"})
        answered = stage.victim.send(request, stream=True)
        if answered.status_code == 200:
            opened.append(answered)
        else:
            answered.close()
            refused += 1
    for each in opened:
        each.close()
    return f"{len(opened)} opened, {refused} refused"
