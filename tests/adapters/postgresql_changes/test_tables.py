"""Changes of a real server as the versions of a table (T48, T49)."""

from pathlib import Path

from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, Shape
from streaming.temporal.tables import Version
from tests.adapters.postgresql_changes.changed import changed_table
from tests.postgresql import PostgreSQL

TABLE = StreamDefinition(shape=Shape.TABLE, keys=["id"], fields={"id": "long", "car": "string"})


def test_rows_are_versions_and_a_deleted_row_is_a_deletion(postgresql: PostgreSQL, tmp_path: Path) -> None:
    with changed_table(postgresql, "versions", tmp_path / "journal", stream=TABLE) as table:
        for statement in (
            "INSERT INTO seen VALUES (1, 'a')",
            "UPDATE seen SET car = 'b' WHERE id = 1",
            "DELETE FROM seen WHERE id = 1",
        ):
            table.look()
            table.look()
            table.source.run(statement)
        for _ in range(4):
            table.look()
        found = [each for each in table.read_elements if not isinstance(each, Cti)]
    assert [(each.payload["id"], each.payload["car"], each.deleted) for each in found if isinstance(each, Version)] == [
        (1, "a", False),
        (1, None, True),
        (1, "b", False),
        (1, None, True),
    ]
    starts = [each.start for each in found if isinstance(each, Version)]
    assert len(found) == 4
    assert starts[0] < starts[1] == starts[2] < starts[3]
