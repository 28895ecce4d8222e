"""Problems with a bucket raise an error that says what to do, and no error contains a secret."""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import AdapterError, CheckedTarget, InputAdapter
from streaming.adapters.preview import check
from streaming.adapters.registry import OptionsRefused, delivering_adapter, input_adapter
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.inputs import POINTS, rows
from tests.adapters.s3.reading import LOCAL, objects
from tests.object_store import HOST, SECRET, ObjectStore

TOKEN = "planted-session-token-5c1e"
ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<ListBucketResult><Contents><Key>&b;</Key></Contents></ListBucketResult>"
)
ENDLESS = (
    "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>on</NextContinuationToken>"
    "</ListBucketResult>"
)
NO_TIME = (
    '<ListBucketResult><Contents><Key>a.csv</Key><Size>4</Size><ETag>"1"</ETag>'
    "<LastModified>yesterday</LastModified></Contents></ListBucketResult>"
)


def message_of(work: Callable[[], object]) -> str:
    """The message of the failure, which contains no secret."""
    with pytest.raises(AdapterError) as refused:
        work()
    text = str(refused.value)
    assert SECRET not in text
    assert TOKEN not in text
    assert refused.value.__cause__ is None
    return text


def trial(adapter: InputAdapter) -> Callable[[], None]:
    return lambda: check(adapter, now=0)


def output(options: dict[str, Any], outgoing: OutgoingPolicy = LOCAL) -> CheckedTarget:
    made = delivering_adapter("s3", {"prefix": "out", **options}, "one", {"n": "long"}, Path("/nowhere"), outgoing)
    assert isinstance(made, CheckedTarget)
    return made


def user_with(store: ObjectStore, name: str, *rights: str) -> dict[str, str]:
    """The keys of a user with these rights."""
    iam = store.client("iam")
    iam.create_user(UserName=name)
    if rights:
        statement = {"Effect": "Allow", "Action": list(rights), "Resource": "*"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=policy)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {"access_key": key["AccessKeyId"], "secret_key": key["SecretAccessKey"]}


def test_keys_and_rights_are_distinguished(store: ObjectStore, bucket: str) -> None:
    store.put(bucket, "a.csv", b"ts,k,v\n1,k,1\n")
    users = {
        "nothing": user_with(store, f"{bucket}-1"),
        "lists": user_with(store, f"{bucket}-2", "s3:ListBucket"),
        "reads": user_with(store, f"{bucket}-3", "s3:ListBucket", "s3:GetObject"),
        "writes": user_with(store, f"{bucket}-4", "s3:ListBucket", "s3:GetObject", "s3:PutObject"),
        "all": user_with(store, f"{bucket}-5", "s3:ListBucket", "s3:GetObject", "s3:PutObject", "s3:DeleteObject"),
    }
    with store.guarded():
        assert "does not know the access key" in message_of(trial(objects(store, bucket)))
        wrong = users["all"] | {"secret_key": SECRET}
        assert "refuses the secret key" in message_of(trial(objects(store, bucket, **wrong)))
        assert "may not list the bucket (s3:ListBucket)" in message_of(
            trial(objects(store, bucket, **users["nothing"]))
        )
        assert "may not read objects (s3:GetObject)" in message_of(trial(objects(store, bucket, **users["lists"])))
        assert len(rows(objects(store, bucket, **users["reads"]))) == 1
        for who, right in (("lists", "s3:GetObject"), ("reads", "s3:PutObject"), ("writes", "s3:DeleteObject")):
            assert right in message_of(output(store.options(bucket, **users[who])).check)
        output(store.options(bucket, **users["all"])).check()


def test_a_missing_bucket_and_an_invalid_endpoint(store: ObjectStore, bucket: str) -> None:
    assert "The store has no bucket 'no-bucket'" in message_of(trial(objects(store, "no-bucket")))
    assert "The store has no bucket 'no-bucket'" in message_of(output(store.options("no-bucket")).check)
    store.fail(("GET", "/", 200))
    assert "did not return an S3 list of objects" in message_of(trial(objects(store, bucket)))
    for body in (ENTITIES, NO_TIME, "<ListBucketResult>", "<html></html>" * 2):
        store.fail(("GET", "/", body))
        assert "did not return an S3 list of objects" in message_of(trial(objects(store, bucket)))


def test_an_endless_list_ends(store: ObjectStore, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streaming.adapters.s3.client.MORE_PAGES", 3)
    monkeypatch.setattr("streaming.adapters.s3.client.PAGE_KEYS", 100_000)
    store.fail(*[("GET", "/", ENDLESS)] * 9)
    assert "more than 100,000 objects" in message_of(trial(objects(store, bucket)))


@pytest.mark.parametrize(
    ("status", "words"),
    [(301, "is in another region"), (503, "answers 503"), (501, "does not support the request"), (400, "answers 400")],
)
def test_other_answers(store: ObjectStore, bucket: str, status: int, words: str) -> None:
    store.fail(("GET", "/", status), ("GET", "/", status))
    assert words in message_of(trial(objects(store, bucket, session_token=TOKEN)))


def test_a_forbidden_address_has_the_same_error_as_silence(store: ObjectStore, bucket: str) -> None:
    silent = message_of(trial(objects(store, bucket, endpoint="http://127.0.0.1:1")))
    assert "can't be reached" in silent
    before = len(store.requests_seen())
    for outgoing in (OutgoingPolicy(), OutgoingPolicy(public=False, networks=("10.0.0.0/8",))):
        options = store.options(bucket)
        adapter = input_adapter("s3", options, POINTS, Path("/nowhere"), outgoing=outgoing)
        assert message_of(trial(adapter)) == silent.replace("127.0.0.1:1", f"{HOST}:{store.port}")
        assert "can't be reached" in message_of(output(options, outgoing).check)
    for endpoint in ("http://169.254.169.254", "http://[fd00:ec2::254]"):
        assert "can't be reached" in message_of(trial(objects(store, bucket, endpoint=endpoint)))
    assert [each for each in store.requests_seen()[before:] if not each.startswith("GET /-/")] == []


def test_a_server_without_tls_is_reported(store: ObjectStore, bucket: str) -> None:
    plain = store.endpoint.replace("http:", "https:")
    assert "can't prove that it is" in message_of(trial(objects(store, bucket, endpoint=plain)))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bucket": "a/../b"}, "bucket"),
        ({"bucket": "UP"}, "bucket"),
        ({"prefix": "a/../b"}, "or '..'"),
        ({"prefix": "a\nb"}, "control characters"),
        ({"region": "eu.example.com/"}, "region"),
        ({"secret_key": "two words"}, "visible ASCII"),
        ({"access_key": "a\r\nb"}, "access_key"),
    ],
)
def test_invalid_options_are_refused(store: ObjectStore, bucket: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(OptionsRefused, match=words):
        objects(
            store, options.get("bucket", bucket), **{name: each for name, each in options.items() if name != "bucket"}
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"endpoint": "ftp://x"}, "must begin with https://"),
        ({"endpoint": "https://u:p@x"}, "user name or password"),
        ({"endpoint": "https://x?y=z"}, "has a query"),
        ({"pattern": "../*"}, "leads outside"),
    ],
)
def test_invalid_addresses_are_refused(store: ObjectStore, bucket: str, options: dict[str, str], words: str) -> None:
    assert words in message_of(lambda: objects(store, bucket, **options))


def bomb() -> bytes:
    return gzip.compress(b"x" * (64 << 20))


def no_parquet() -> bytes:
    return b"PAR1" + b"\xff" * 100 + b"PAR1"


def typed_otherwise() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"ts": [1], "k": [1], "v": ["x"]}), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("key", "content", "words"),
    [
        ("a.csv.gz", b"no gzip", "can't be read"),
        ("a.jsonl.gz", gzip.compress(b'{"ts": 1}\n' * 900, mtime=0)[:-20], "damaged or incomplete"),
        ("a.jsonl.zst", b"no zstd", "can't be read"),
        ("a.parquet", no_parquet(), "not a complete Parquet file"),
        ("a.parquet", typed_otherwise(), "Change the field's type"),
        ("a.txt", b"x", "format of 'a.txt' can't be determined"),
        ("a.csv", b"ts,k\n1,k\n", "has no column 'v'"),
    ],
)
def test_other_files_raise_an_error(store: ObjectStore, bucket: str, key: str, content: bytes, words: str) -> None:
    store.put(bucket, key, content)
    assert words in message_of(trial(objects(store, bucket)))


def test_a_bomb_of_one_line_is_one_malformed_row(store: ObjectStore, bucket: str) -> None:
    store.put(bucket, "a.jsonl.gz", bomb())
    [row] = rows(objects(store, bucket))
    assert type(row).__name__ == "MalformedRow"


def test_no_object_shows_its_secrets(store: ObjectStore, bucket: str) -> None:
    adapter = objects(store, bucket, session_token=TOKEN)
    shown = repr(vars(adapter)) + repr(vars(adapter._source))  # type: ignore[attr-defined]
    assert SECRET not in shown
    assert TOKEN not in shown
