import { useState } from "react";
import { Scroll } from "../../../components/page/Scroll";
import { Instant } from "../../../components/values/Instant";
import { Value } from "../../../components/values/Value";
import { DIFFERENCE_WORDS } from "../../../messages/preview";
import type { ResultRow } from "../../../model/simulation/resultRows";
import { counted } from "../../../model/text/counts";
import { explainResult } from "../simulator/shownResult";

/** Rows that are shown without asking. */
const AT_ONCE = 200;

function columnsOf(rows: readonly ResultRow[]): string[] {
  return [...new Set(rows.flatMap(({ row }) => Object.keys(row.payload)))];
}

function Cell({ name, row: { row, before, fields } }: { name: string; row: ResultRow }) {
  const isChanged = before !== null && fields.includes(name);
  const value = row.payload[name];
  return (
    <td className={typeof value === "number" ? "num" : undefined} data-changed={isChanged || undefined}>
      {isChanged ? (
        <>
          <del>
            <Value value={before.payload[name]} />
          </del>{" "}
          <ins>
            <Value value={value} />
          </ins>
        </>
      ) : (
        <Value value={value} />
      )}
    </td>
  );
}

interface LineProps {
  row: ResultRow;
  columns: readonly string[];
  isOld: boolean;
  version: number | null;
}

function Line({ row, columns, isOld, version }: LineProps) {
  const { difference } = row;
  const end = row.row.closed_after === null ? row.row.end : row.row.closed_end;
  return (
    <tr data-difference={difference ?? undefined}>
      <td>
        <Instant ticks={row.row.start} />
      </td>
      <td>
        <Instant ticks={end} />
      </td>
      {columns.map((name) => (
        <Cell key={name} name={name} row={row} />
      ))}
      {version === null ? null : (
        <td className="preview-difference">{difference === null ? "" : DIFFERENCE_WORDS[difference]}</td>
      )}
      <td>
        {isOld || difference === "gone" ? null : (
          <button type="button" className="link" onClick={() => explainResult(row.row)}>
            Why?
          </button>
        )}
      </td>
    </tr>
  );
}

interface PreviewTableProps {
  output: string;
  rows: readonly ResultRow[];
  /** True if the rows are of an earlier text. */
  isOld: boolean;
  /** The version next to which they stand; null: none. */
  version: number | null;
}

/** The results of one output. */
export function PreviewTable({ output, rows, isOld, version }: PreviewTableProps) {
  const [most, setMost] = useState(AT_ONCE);
  const columns = columnsOf(rows);
  const more = rows.length - most;
  return (
    <section aria-label={`Preview of ${output}`} className="preview" data-old={isOld}>
      <h3>
        <code>{output}</code> <span className="quiet small">{counted(rows.length, "row")}</span>
      </h3>
      {rows.length === 0 ? (
        <p className="quiet">No results on this sample.</p>
      ) : (
        <Scroll label={`Results of ${output} on the sample`}>
          <table className="dense">
            <thead>
              <tr>
                <th>Start</th>
                <th>End</th>
                {columns.map((name) => (
                  <th
                    key={name}
                    className={rows.some(({ row }) => typeof row.payload[name] === "number") ? "num" : undefined}
                  >
                    {name}
                  </th>
                ))}
                {version === null ? null : <th>Against version {version}</th>}
                <th>
                  <span className="visually-hidden">Explanation</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, most).map((row) => (
                <Line
                  key={`${row.difference === "gone" ? "gone " : ""}${row.row.id}`}
                  row={row}
                  columns={columns}
                  isOld={isOld}
                  version={version}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {more <= 0 ? null : (
        <p>
          <button type="button" className="button" onClick={() => setMost(most + 5 * AT_ONCE)}>
            Show {counted(Math.min(more, 5 * AT_ONCE), "more row")} of {counted(rows.length, "row")}
          </button>
        </p>
      )}
    </section>
  );
}
