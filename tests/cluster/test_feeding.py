"""Results of one binding are the input of another, wherever the organisation's results are stored."""

from pathlib import Path

from streaming.storage.folders import folder_at, is_remote
from streaming.storage.result_location import NOTE
from streaming.temporal.events import Cti
from streaming.temporal.ticks import Tick
from streaming.wire.deliveries import READERS, DeliveryMark, kept_from, write_mark
from tests.adapters.binding.feeding import BINDING, Feeder, read, row


def test_results_of_another_binding_are_read_from_any_location(location: str, tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    for batch in range(5):
        feeder.commit([row(batch, batch, batch + 5)], batch)
    if is_remote(location):
        folder = folder_at(location)
        for path in (path for path in feeder.folder.rglob("*") if path.is_file()):
            folder.write(str(path.relative_to(tmp_path)), path.read_bytes())
            path.unlink()
        (tmp_path / NOTE).write_text(location)
    write_mark(feeder.folder, "reader", DeliveryMark(delivered=None), READERS)
    adapter = feeder.reader(reader="reader")
    ends = []
    for _ in range(4):
        ends.append(adapter.latest({"0": ends[-1] if ends else 0}, now=0, limit_rows=4)["0"])
    found = read(adapter, 0, ends[-1])
    assert ends == [4, 8, 10, 10]
    assert [each.payload["n"] for each in found if not isinstance(each, Cti)] == [0, 1, 2, 3, 4]
    assert [each for each in found if isinstance(each, Cti)] == [Cti(Tick(batch)) for batch in range(5)]
    assert kept_from(tmp_path / "results" / BINDING) == 3, "the committed position is recorded on this machine"
