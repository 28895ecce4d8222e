"""The open lifetimes: a transaction takes no more steps with more open rows."""

from streaming.adapters.row_lifetimes.lines import RowLife, start_line
from streaming.adapters.row_lifetimes.open_rows import OpenRows

ABOUT = '"_change":"insert","_committed":1,"_lsn":""'


def steps_of_a_transaction(open_rows: int) -> int:
    """The steps of the database for an update of one row among `open_rows`."""
    rows = OpenRows()
    rows.fold(start_line(RowLife(f'["{number}"]', 1, ABOUT, '"id":1')) for number in range(open_rows))
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    rows._db.set_progress_handler(count, 1)
    rows.put('["3"]', ABOUT, '"id":2')
    assert len(list(rows.changes(2))) == 2
    rows.settle(2)
    return steps


def test_the_steps_of_a_transaction_do_not_grow_with_the_open_rows() -> None:
    assert steps_of_a_transaction(2_000) < 2 * steps_of_a_transaction(20)
