"""The download adapter: the first batch downloads, then the same call gives the same rows, whatever the server does."""

import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.download.adapter import PREVIEWS, DownloadAdapter
from streaming.adapters.download.options import DownloadOptions
from streaming.adapters.download.source import PREVIEW_BYTES, PREVIEW_PARQUET_BYTES
from streaming.adapters.preview import sample
from streaming.adapters.registry import input_adapter
from streaming.temporal.ticks import parse_instant
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.inputs import POINTS, payloads, rows
from tests.https import Authority, Server, authority, redirects, sends, serving

NEAR = OutgoingPolicy(networks=("127.0.0.1/32",))
NOW = parse_instant("2026-11-22T08:00:00Z")
CSV = b"ts,k,v\n1,a,10\n2,b,20\n3,c,30\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def server(made: Authority) -> Iterator[Server]:
    with serving(made) as running:
        running.answers["/rows.csv"] = sends(CSV)
        yield running


class Site:
    """An organisation's folder, and adapters for a server, built as successive processes would build them."""

    def __init__(self, server: Server, made: Authority, root: Path) -> None:
        self.server, self.made, self.root = server, made, root
        self.journal = root / "carriers" / "main" / "journals" / "one" / "cars"

    def adapter(self, path: str = "/rows.csv", *, preview: bool = False, **options: Any) -> DownloadAdapter:
        read = DownloadOptions.model_validate({"url": self.server.url(path), **options})
        reach = self.made.reach(NEAR)
        return DownloadAdapter(read, POINTS, self.root, None if preview else self.journal, reach)

    def first(self, adapter: InputAdapter) -> int:
        return adapter.latest({"0": 0}, now=NOW, limit_rows=1_000)["0"]

    def refusal(self, adapter: InputAdapter, start: int = 0) -> str:
        with pytest.raises(AdapterError) as caught:
            adapter.latest({"0": start}, now=NOW, limit_rows=1_000)
        assert str(caught.value).endswith(".")
        return str(caught.value)

    def files(self) -> set[str]:
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file()}


@pytest.fixture
def site(server: Server, made: Authority, tmp_path: Path) -> Site:
    return Site(server, made, tmp_path / "organisation")


def parquet(count: int) -> bytes:
    content = io.BytesIO()
    polars.DataFrame({"ts": range(count), "k": ["a"] * count, "v": range(count)}).write_parquet(content)
    return content.getvalue()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("/rows.csv", CSV),
        ("/rows.csv.gz", gzip.compress(CSV, mtime=0)),
        ("/two.csv.gz", gzip.compress(CSV[:12], mtime=0) + gzip.compress(CSV[12:], mtime=0)),
        ("/rows.jsonl", b'{"ts":1,"k":"a","v":10}\n{"ts":2,"k":"b","v":20}\n{"ts":3,"k":"c","v":30}\n'),
    ],
)
def test_a_text_is_read_as_the_file_adapter_reads_it(site: Site, path: str, content: bytes) -> None:
    site.server.answers[path] = sends(content)
    assert payloads(rows(site.adapter(path)), "v") == [10, 20, 30]
    assert payloads(rows(site.adapter(path), step=1), "v") == [10, 20, 30]


def test_parquet_is_read_and_a_format_that_the_name_hides_is_an_option(site: Site) -> None:
    site.server.answers["/export"] = sends(parquet(4))
    assert payloads(rows(site.adapter("/export?of=rows", format="parquet")), "v") == [0, 1, 2, 3]
    with pytest.raises(AdapterError, match="The format of 'export' can't be determined"):
        site.adapter("/export")


def test_the_same_call_gives_the_same_rows_after_a_restart_whatever_the_server_answers_then(site: Site) -> None:
    before = site.adapter()
    assert site.first(before) == 3
    site.server.answers["/rows.csv"] = sends(b"ts,k,v\n9,z,90\n")
    after = site.adapter()
    assert payloads(rows(after), "v") == payloads(rows(before), "v") == [10, 20, 30]
    assert after.finished({"0": 3})
    assert not after.finished({"0": 2})
    assert len(site.server.asked) == 1


def test_another_process_reads_the_copy_and_never_downloads(site: Site) -> None:
    assert not site.adapter().finished({"0": 0})
    with pytest.raises(AdapterError, match="was removed"):
        list(site.adapter().read("0", 0, 3))
    assert site.server.asked == []
    site.first(site.adapter())
    assert sum(len(chunk.kind) for chunk in site.adapter().read("0", 1, 3)) == 2
    assert len(site.server.asked) == 1


def test_a_copy_that_was_removed_is_not_replaced_by_other_rows(site: Site) -> None:
    site.first(site.adapter())
    for name in site.files():
        (site.root / name).unlink()
    assert "was removed" in site.refusal(site.adapter(), start=2)
    assert len(site.server.asked) == 1


def test_a_changed_copy_is_reported_with_the_time_of_its_download(site: Site) -> None:
    site.first(site.adapter())
    copy = site.journal / "snapshot.csv"
    copy.write_bytes(CSV + CSV)
    os.utime(copy, (1, 1))
    with pytest.raises(AdapterError, match="It was downloaded at 2026-11-22T08:00:00Z") as caught:
        list(site.adapter().read("0", 0, 3))
    assert str(site.root) not in str(caught.value)


def test_a_missing_column_is_reported_with_the_address_and_without_a_path_of_the_server(site: Site) -> None:
    site.server.answers["/rows.csv"] = sends(b"ts,k\n1,a\n")
    message = site.refusal(site.adapter("/rows.csv?key=planted"))
    assert f"The file '{site.server.url('/rows.csv')}' has no column 'v'" in message
    assert "It was downloaded at 2026-11-22T08:00:00Z." in message
    assert str(site.root) not in message
    assert "planted" not in message


def test_a_copy_for_other_options_is_refused_and_another_token_reads_it(site: Site) -> None:
    site.first(site.adapter(token="one"))
    assert site.first(site.adapter(token="two")) == 3
    assert "with other options" in site.refusal(site.adapter(delimiter=";"))


def test_a_token_is_sent_and_is_in_no_file_and_no_message(site: Site) -> None:
    adapter = site.adapter(token="planted-secret")
    site.first(adapter)
    assert site.server.asked[0][2] == "Bearer planted-secret"
    assert all(b"planted" not in (site.root / name).read_bytes() for name in site.files())
    assert "planted" not in repr(vars(adapter))
    with pytest.raises(ValueError, match="visible ASCII") as caught:
        site.adapter(token="planted\r\nX-Injected: 1")
    assert "planted" not in str(caught.value.errors()[0]["msg"])  # type: ignore[attr-defined]


def test_a_token_is_never_sent_without_tls(site: Site) -> None:
    with pytest.raises(AdapterError, match="not sent without TLS"):
        site.adapter(url="http://files.example/rows.csv", token="planted")


@pytest.mark.parametrize("with_length", [True, False])
@pytest.mark.parametrize("name", ["/rows.csv", "/rows.csv.gz"])
def test_one_byte_above_the_limit_is_an_error_and_never_a_shorter_file(
    site: Site, with_length: bool, name: str
) -> None:
    content = CSV if name.endswith(".csv") else gzip.compress(CSV, mtime=0)
    site.server.answers[name] = sends(content, length=with_length)
    most = len(CSV) - 1
    assert f"is larger than {most} bytes" in site.refusal(site.adapter(name, most_bytes=most))
    assert site.files() == set()


def test_a_file_of_exactly_the_limit_is_taken(site: Site) -> None:
    assert site.first(site.adapter(most_bytes=len(CSV))) == 3


def test_a_gzip_bomb_stops_at_the_limit(site: Site) -> None:
    bomb = gzip.compress(bytes(40 << 20), mtime=0)
    assert len(bomb) < 1 << 20
    site.server.answers["/bomb.csv.gz"] = sends(bomb)
    assert "is larger than 1,048,576 bytes" in site.refusal(site.adapter("/bomb.csv.gz", most_bytes=1 << 20))
    assert site.files() == set()


@pytest.mark.parametrize(
    "content", [CSV, gzip.compress(CSV, mtime=0)[:-4], gzip.compress(CSV, mtime=0) + b"rubbish", b""]
)
def test_what_is_not_gzip_to_its_end_is_an_error(site: Site, content: bytes) -> None:
    site.server.answers["/rows.csv.gz"] = sends(content)
    assert "gzip" in site.refusal(site.adapter("/rows.csv.gz"))
    assert site.files() == set()


def test_an_interrupted_download_leaves_nothing_and_is_repeated(site: Site) -> None:
    site.server.answers["/rows.csv"] = sends(CSV[:9], length=False, Content_Length=str(len(CSV)))
    assert "broke off" in site.refusal(site.adapter())
    assert site.files() == set()
    site.server.answers["/rows.csv"] = sends(CSV)
    assert site.first(site.adapter()) == 3


def test_a_copy_without_its_note_does_not_count(site: Site) -> None:
    site.first(site.adapter())
    for name in ("snapshot.json", "files.jsonl"):
        (site.journal / name).unlink()
    site.server.answers["/rows.csv"] = sends(CSV + b"4,d,40\n")
    assert payloads(rows(site.adapter()), "v") == [10, 20, 30, 40]


def test_a_redirect_to_an_internal_address_is_refused(site: Site) -> None:
    site.server.answers["/rows.csv"] = redirects("https://169.254.169.254/latest/rows.csv")
    assert "can't be reached" in site.refusal(site.adapter())


def test_a_preview_reads_the_first_lines_of_a_large_text_and_leaves_no_file(site: Site) -> None:
    site.server.answers["/rows.csv"] = sends(CSV + b"4,d,40\n" * (PREVIEW_BYTES // 3))
    adapter = site.adapter(preview=True)
    shown = sample(adapter, 5, now=NOW)
    assert [row.raw for row in shown[:4]] == ["1,a,10", "2,b,20", "3,c,30", "4,d,40"]
    assert 0 < sum((site.root / name).stat().st_size for name in site.files()) <= PREVIEW_BYTES + (2 << 20)
    del adapter, shown
    assert site.files() == set()


def test_a_preview_that_a_dead_process_left_is_removed(site: Site) -> None:
    left, foreign = site.root / PREVIEWS / "tmpleft", site.root / PREVIEWS / "later"
    for each in (left, foreign):
        each.mkdir(parents=True)
        os.utime(each, (1, 1))
    sample(site.adapter(preview=True), 5, now=NOW)
    assert not left.exists()
    assert foreign.exists(), "no preview of ours"


def test_a_preview_that_ends_while_another_starts_does_not_disturb_it(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site.root / PREVIEWS / "tmpending").mkdir(parents=True)
    look = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        if path.name == "ending":
            path.rmdir()
        return look(path, **options)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "stat", stat)
        assert len(sample(site.adapter(preview=True), 5, now=NOW)) == 3


def test_a_parquet_file_too_large_for_a_preview_is_requested_and_shows_nothing(site: Site) -> None:
    site.server.answers["/big.parquet"] = sends(b"", length=False, Content_Length=str(PREVIEW_PARQUET_BYTES + 1))
    assert sample(site.adapter("/big.parquet", preview=True), 5, now=NOW) == []
    site.server.answers["/small.parquet"] = sends(parquet(3))
    assert len(sample(site.adapter("/small.parquet", preview=True), 5, now=NOW)) == 3


def test_an_adapter_without_a_policy_connects_nowhere(site: Site) -> None:
    adapter = input_adapter("download", {"url": site.server.url("/rows.csv")}, POINTS, site.root, site.journal)
    assert "can't be reached" in site.refusal(adapter)
    adapter_of_run = input_adapter(
        "download", {"url": f"https://127.0.0.1:{site.server.port}/rows.csv"}, POINTS, site.root, site.journal, NEAR
    )
    assert "can't prove that it is 127.0.0.1" in site.refusal(adapter_of_run), (
        "connected, although the test's authority is not trusted"
    )
    assert site.server.asked == []


def test_it_starts_at_a_row_of_the_copy_and_says_why_not_at_a_time(site: Site) -> None:
    place = BeginAtPositions(kind="positions", positions={"cars": {"0": 2}})
    with pytest.raises(AdapterError, match=r"has not been downloaded yet"):
        site.adapter().begin_at(place, "cars", now=NOW)
    assert site.server.asked == []
    site.first(site.adapter())
    adapter = site.adapter()
    assert adapter.begin_at(place, "cars", now=NOW).positions == {"0": 2}
    assert [int(at) for chunk in adapter.read("0", 2, 3) for at in chunk.positions] == [2]
    with pytest.raises(AdapterError, match="can start at 0 to 3, not at 4"):
        adapter.begin_at(BeginAtPositions(kind="positions", positions={"cars": {"0": 4}}), "cars", now=NOW)
    for way in adapter.cannot_begin():
        begin: SoughtBegin = "now" if way == "now" else BeginAtTime(kind="time", at=0)
        with pytest.raises(AdapterError, match=r"can't start at a time between them\. Start at a row"):
            adapter.begin_at(begin, "cars", now=NOW)
