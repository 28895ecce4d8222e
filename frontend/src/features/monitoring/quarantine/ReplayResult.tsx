import { Empty, Notice } from "../../../components/notices/Notices";
import { Scroll } from "../../../components/page/Scroll";
import { Instant } from "../../../components/values/Instant";
import { counted, formatCount } from "../../../lib/numbers";
import type { ReplayedRow, ReplayResponse } from "../../../model/api";
import { type ColumnWords, columnsOf, REPLAY_WORDS } from "../../../model/results/replay";
import { NotCounted } from "./NotCounted";
import "./replay.css";

function Column({ column: { name, was, would } }: { column: ColumnWords }) {
  const changed = was !== null && would !== null && was !== would;
  return (
    <li data-changed={changed || undefined}>
      <span className="quiet">{name}</span>{" "}
      {changed ? (
        <>
          <del>
            <span className="visually-hidden">was </span>
            {was}
          </del>{" "}
          <span aria-hidden="true">→</span>{" "}
          <ins>
            <span className="visually-hidden">would be </span>
            {would}
          </ins>
        </>
      ) : (
        (would ?? was)
      )}
    </li>
  );
}

function Span({ start, end }: { start: number; end: number | null }) {
  return (
    <span>
      <Instant ticks={start} /> – <Instant ticks={end} />
    </span>
  );
}

function Row({ row }: { row: ReplayedRow }) {
  const moved = row.mark === "changed" && (row.today_start !== row.start || row.today_end !== row.end);
  return (
    <tr>
      <th scope="row">
        {row.output}
        <p className="quiet">{row.final ? "already final" : "not final yet"}</p>
      </th>
      <td>
        <Span start={row.start} end={row.end} />
        {moved && row.today_start !== null ? (
          <p className="quiet">
            today <Span start={row.today_start} end={row.today_end} />
          </p>
        ) : null}
      </td>
      <td className="nowrap">{REPLAY_WORDS[row.mark]}</td>
      <td>
        <ul className="replay-columns">
          {columnsOf(row).map((column) => (
            <Column key={column.name} column={column} />
          ))}
        </ul>
        {row.whole ? null : <p className="quiet">Values unknown: it contains rows that were not read again.</p>}
      </td>
    </tr>
  );
}

function Changes({ shown }: { shown: ReplayResponse }) {
  if (shown.rows.length === 0)
    return (
      <Empty title="No results would change">
        <p>{counted(shown.marks.same ?? 0, "result row")} would stay the same.</p>
      </Empty>
    );
  return (
    <>
      <Scroll label="Result rows that would change" tall>
        <table>
          <thead>
            <tr>
              <th>Output</th>
              <th>Time (UTC)</th>
              <th>Row</th>
              <th>Values now and after the change</th>
            </tr>
          </thead>
          <tbody>
            {shown.rows.map((row, number) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of one response, which never changes
              <Row key={number} row={row} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {shown.rows_left_out > 0 ? (
        <p>{counted(shown.rows_left_out, "more row")} would change but are not shown. Select fewer rows to see them.</p>
      ) : null}
    </>
  );
}

function WholeFrom({ shown }: { shown: ReplayResponse }) {
  return Object.entries(shown.whole_from).map(([output, from]) => (
    <p key={output}>
      {from === null ? (
        <>Earlier rows may affect any row of {output}, so no values are known.</>
      ) : (
        <>
          Rows of {output} that start at <Instant ticks={from} /> or later are computed from all of their input; for
          earlier rows only the fact of a change is known.
        </>
      )}
    </p>
  ));
}

/** The result of a preview: changed result rows, selected rows that still don't count, and the reasons. */
export function ReplayResult({ shown }: { shown: ReplayResponse }) {
  const { same = 0, changed = 0, only_here = 0, missing = 0 } = shown.marks;
  return (
    <section className="stack" aria-label="Changes">
      <Notice tone="good">
        <p>
          {formatCount(shown.counted)} of {counted(shown.chosen, "selected row")} would count. Result rows:{" "}
          {formatCount(changed)} changed, {formatCount(only_here)} new, {formatCount(missing)} removed,{" "}
          {formatCount(same)} unchanged.
        </p>
      </Notice>
      <p className="quiet">
        Read again: {counted(shown.read_again, "input row")}
        {Object.keys(shown.whole_from).length === 0 ? ", the binding's whole input." : "."}
      </p>
      <WholeFrom shown={shown} />
      {shown.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <Changes shown={shown} />
      <NotCounted rows={shown.not_counted} title="Selected rows that still would not count" />
    </section>
  );
}
