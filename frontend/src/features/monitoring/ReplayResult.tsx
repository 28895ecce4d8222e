import { Instant } from "../../components/Instant";
import { Empty, Notice } from "../../components/Notices";
import { Scroll } from "../../components/Scroll";
import { counted, formatCount } from "../../lib/numbers";
import type { ReplayedRow, ReplayShown } from "../../model/api";
import { type ColumnWords, columnsOf, REPLAY_WORDS } from "../../model/replay";
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
        <p className="quiet">{row.final ? "final already" : "not final yet"}</p>
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
        {row.whole ? null : <p className="quiet">Which values is not known: it has rows that were not read again.</p>}
      </td>
    </tr>
  );
}

function Changes({ shown }: { shown: ReplayShown }) {
  if (shown.rows.length === 0)
    return (
      <Empty title="No result would be another one.">
        <p>{counted(shown.marks.same ?? 0, "row")} of the result would stay as they are.</p>
      </Empty>
    );
  return (
    <>
      <Scroll label="Rows of the result that would be others" tall>
        <table>
          <thead>
            <tr>
              <th>Output</th>
              <th>Time (UTC)</th>
              <th>Row</th>
              <th>Values, as they are and as they would be</th>
            </tr>
          </thead>
          <tbody>
            {shown.rows.map((row, number) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of one answer, which never changes
              <Row key={number} row={row} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {shown.rows_left_out > 0 ? (
        <p>{counted(shown.rows_left_out, "row")} that would change too are not shown. Choose fewer rows to see them.</p>
      ) : null}
    </>
  );
}

function WholeFrom({ shown }: { shown: ReplayShown }) {
  return Object.entries(shown.whole_from).map(([output, from]) => (
    <p key={output}>
      {from === null ? (
        <>What was read before may matter to any row of {output}: for none of them the values are known.</>
      ) : (
        <>
          Rows of {output} that start at <Instant ticks={from} /> or later are computed from all that belongs to them;
          of earlier ones it is only known that they would change.
        </>
      )}
    </p>
  ));
}

/** What a replay found: which rows of the result would be others, which chosen rows still do not count, and why. */
export function ReplayResult({ shown }: { shown: ReplayShown }) {
  const { same = 0, changed = 0, only_here = 0, missing = 0 } = shown.marks;
  return (
    <section className="stack" aria-label="What would change">
      <Notice tone="good">
        <p>
          Of {counted(shown.chosen, "chosen row")} {formatCount(shown.counted)} would count. Of the rows of the result{" "}
          {formatCount(changed)} would be changed, {formatCount(only_here)} new, {formatCount(missing)} gone, and{" "}
          {formatCount(same)} stay as they are.
        </p>
      </Notice>
      <p className="quiet">
        Read again: {counted(shown.read_again, "row")} of the input
        {Object.keys(shown.whole_from).length === 0 ? ", all that the binding has read." : "."}
      </p>
      <WholeFrom shown={shown} />
      {shown.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <Changes shown={shown} />
      <NotCounted rows={shown.not_counted} title="Chosen rows that would still not count" />
    </section>
  );
}
