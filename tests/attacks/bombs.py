"""Inputs that are much larger than they look, and work that does not end."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq

from tests.attacks.stage import Stage, counted, told


def sample(stage: Stage, stream: str) -> str:
    return told(stage.viewer.get(f"{stream}sample/")) if stream.startswith("streams/") else stream


def parquet_of_one_text(stage: Stage) -> str:
    """A million rows of one text of 10 KB, in a file of some kilobytes; sampled by a viewer."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array(["x" * 10_240]))
    at = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array([1_767_225_600_000_000]))
    table = pa.table({"at": at.cast(pa.int64()), "k": texts})
    pq.write_table(table, stage.files / "bomb.parquet", compression="zstd")
    return sample(stage, stage.stream("bomb.parquet", {"k": "string"}))


def parquet_of_large_cells(stage: Stage) -> str:
    """Rows of 64 MiB each, compressed away."""
    table = pa.table({"at": [1_767_225_600_000_000] * 20, "k": ["x" * (64 << 20)] * 20})
    pq.write_table(table, stage.files / "cells.parquet", compression="zstd", use_dictionary=False)
    return sample(stage, stage.stream("cells.parquet", {"k": "string"}))


def gzip_without_a_line_end(stage: Stage) -> str:
    """4.7 GB of one character, compressed twice as well as gzip can."""
    with gzip.open(stage.files / "bomb.jsonl.gz", "wb", compresslevel=9) as file:
        for _ in range(4_700):
            file.write(b"x" * 1_000_000)
    return sample(stage, stage.stream("bomb.jsonl.gz", {"k": "string"}))


def csv_with_an_open_quote(stage: Stage) -> str:
    """A quote that is never closed, before 200 MB."""
    with (stage.files / "quote.csv").open("wb") as file:
        file.write(b'at,k\n1,"')
        for _ in range(200):
            file.write(b"y,\n" * 333_333)
    return sample(stage, stage.stream("quote.csv", {"k": "string"}))


def deep_and_wide_json(stage: Stage) -> str:
    """A line of a million brackets, and one of a hundred thousand keys."""
    wide = json.dumps({f"k{number}": number for number in range(100_000)})
    (stage.files / "deep.jsonl").write_text("[" * 1_000_000 + "\n" + f"{wide}\n" * 100)
    return sample(stage, stage.stream("deep.jsonl", {"k": "string"}))


def queries_that_take_seconds(stage: Stage) -> str:
    """Forty checks of a query of 180 filters at once."""
    where = " AND ".join(["speed > 1"] * 70)
    steps = [f"n{at} AS (SELECT STREAM * FROM {f'n{at - 1}' if at else 'cars'} WHERE {where})" for at in range(180)]
    text = f"QUERY q;\nWITH {', '.join(steps)} INSERT INTO out SELECT STREAM * FROM n179;\n"
    with ThreadPoolExecutor(40) as threads:
        answers = list(threads.map(lambda _: stage.viewer.post("queries/validate/", json={"text": text}), range(40)))
    return counted(str(each.status_code) for each in answers)


def a_stream_of_many_lanes(stage: Stage) -> str:
    """150,000 lanes."""
    return stage.stream("bomb.parquet", {"k": "string"}, lanes=[str(number) for number in range(150_000)])


def brackets(stage: Stage) -> str:
    """A hundred thousand brackets for a body."""
    headers = {"Content-Type": "application/json"}
    return told(stage.mallory.post("queries/validate/", content=b"[" * 100_000, headers=headers))


def plans_of_a_megabyte(stage: Stage) -> str:
    """Six applies with 1.1 MB of queries at the same time."""
    (stage.files / "cars.jsonl").write_text('{"at": 1, "speed": 2.0}\n')
    definition = "shape: point\nfields: {speed: double}\nevent_time: {start: {column: at, unit: us}}\n"
    clock = "advance: {generate: {every: 1, delay: 5s}, late: drop}\n"
    files = {"streams/cars.yaml": f"{definition}{clock}adapter: {{kind: file, options: {{path: cars.jsonl}}}}\n"}
    where = " AND ".join(["speed > 1"] * 700)
    for at in range(115):
        files[f"queries/q{at}.sql"] = f"QUERY q{at};\nINSERT INTO out SELECT STREAM * FROM cars WHERE {where};\n"
    planned = stage.mallory.post("definitions/plan/", json={"files": files})
    if planned.status_code != 200:
        return f"no plan: {told(planned)}"
    body = {"files": files, "token": planned.json()["token"]}
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: stage.mallory.post("definitions/apply/", json=body), range(6)))
    return counted(told(each) for each in answers)


def event_streams(stage: Stage) -> str:
    """A hundred pages that watch the same run."""
    run = stage.victim.get("runs/").json()[0]["id"]
    opened, refused = [], 0
    for _ in range(100):
        request = stage.victim.build_request("GET", f"runs/{run}/events/", headers={"Accept": "text/event-stream"})
        answered = stage.victim.send(request, stream=True)
        if answered.status_code == 200:
            opened.append(answered)
        else:
            answered.close()
            refused += 1
    for each in opened:
        each.close()
    return f"{len(opened)} opened, {refused} refused"
