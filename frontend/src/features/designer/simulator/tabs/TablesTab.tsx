import { memo, useDeferredValue, useMemo, useState } from "react";
import { Empty } from "../../../../components/notices/Notices";
import { Scroll } from "../../../../components/page/Scroll";
import { OutcomeMark } from "../../../../components/values/Glyph";
import { Instant } from "../../../../components/values/Instant";
import { Value } from "../../../../components/values/Value";
import { KIND_LABELS } from "../../../../messages/definition/summary";
import { KIND_WORDS, PHASE_WORDS, streamWords, valuesWords } from "../../../../messages/simulation";
import { isOutcome } from "../../../../model/run/outcomes";
import type { CurrentPane } from "../../../../model/simulation/currentState";
import { type CtiLine, type NodeTable, type ResultLine, tablesAt } from "../../../../model/simulation/tables";
import type { SimulatedRow, Staircase } from "../../../../model/simulation/types";
import { counted } from "../../../../model/text/counts";
import { formatSpan } from "../../../../model/time/ticks";
import { usePosition } from "../position";
import { type Selected, useSimulator } from "../view";

const AT_ONCE = 200;
/** The number of rows visible without scrolling. */
const FIRST = 20;

/**
 * Render long tables in parts: first the visible rows, directly afterwards more for those who scroll. A button shows the
 * number of the remaining rows and renders them.
 */
function useParts<T>(items: readonly T[]) {
  const [asked, setMost] = useState(AT_ONCE);
  const most = useDeferredValue(asked, FIRST);
  const more = items.length - asked;
  const rest =
    more <= 0 ? null : (
      <p className="more">
        <button type="button" className="button" onClick={() => setMost(asked + 5 * AT_ONCE)}>
          Show {counted(Math.min(more, 5 * AT_ONCE), "more line")} of {counted(items.length, "line")}
        </button>
      </p>
    );
  return { shown: items.length > most ? items.slice(0, most) : items, rest };
}

function Times({ row }: { row: SimulatedRow }) {
  if (row.start === null && row.kind !== "cti") return <span className="quiet">unreadable</span>;
  return <Instant ticks={row.start} />;
}

function Became({ row }: { row: SimulatedRow }) {
  if (row.outcome === null || !isOutcome(row.outcome)) return <>{KIND_WORDS[row.kind]}</>;
  return (
    <>
      <OutcomeMark outcome={row.outcome} />
      {row.moved_by === null || row.moved_by === 0 ? null : ` +${formatSpan(row.moved_by)}`}
    </>
  );
}

const OWN_END = new Set<SimulatedRow["kind"]>(["event", "edge_end"]);

function KeptAs({ row }: { row: SimulatedRow }) {
  if (!row.kept || row.kept_start === null) return null;
  return (
    <>
      <Instant ticks={row.kept_start} /> – <Instant ticks={row.kept_end} />
    </>
  );
}

interface RowCellsProps {
  row: SimulatedRow;
  rowKey: string;
  selected: boolean;
  changed: boolean;
  onSelect: (selected: Selected) => void;
}

const RowCells = memo(function RowCells({ row, rowKey, selected, changed, onSelect }: RowCellsProps) {
  return (
    <tr data-selected={selected || undefined} data-changed={changed || undefined}>
      <td className="num">
        <button type="button" className="link" onClick={() => onSelect({ kind: "row", key: rowKey })}>
          <span className="visually-hidden">Why row </span>
          {row.number}
        </button>
      </td>
      <td>{streamWords(row)}</td>
      <td>{row.lane}</td>
      <td>
        <Times row={row} />
      </td>
      <td>{OWN_END.has(row.kind) ? <Instant ticks={row.end} /> : null}</td>
      <td className="nowrap">
        <Became row={row} />
      </td>
      <td>{row.cti_met === null ? <span className="quiet">none</span> : <Instant ticks={row.cti_met} />}</td>
      <td className="nowrap">
        <KeptAs row={row} />
      </td>
      <td className="sim-values">{row.payload === null ? null : <Value value={valuesWords(row.payload)} />}</td>
    </tr>
  );
});

function RowsTable({ rows }: { rows: readonly SimulatedRow[] }) {
  const { keys, select, selected, differences } = useSimulator();
  const { shown, rest } = useParts(rows);
  const changed = new Set(differences?.outcomes.map(({ key }) => key));
  return (
    <section aria-label="Rows that have arrived">
      <h3>{counted(rows.length, "row")} arrived</h3>
      <Scroll label="Rows that have arrived" tall>
        <table>
          <thead>
            <tr>
              <th className="num">Arrival</th>
              <th>Stream</th>
              <th>Lane</th>
              <th>Start</th>
              <th>End</th>
              <th>Outcome</th>
              <th>CTI met</th>
              <th>Kept as</th>
              <th>Values</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => {
              const key = keys[row.number - 1] ?? "";
              return (
                <RowCells
                  key={key}
                  row={row}
                  rowKey={key}
                  selected={selected?.kind === "row" && selected.key === key}
                  changed={changed.has(key)}
                  onSelect={select}
                />
              );
            })}
          </tbody>
        </table>
      </Scroll>
      {rest}
    </section>
  );
}

function partOf({ lane, substream }: Staircase): string {
  if (substream !== null) return `lane ${lane ?? ""}, key ${substream}`;
  return lane === null ? "whole" : `lane ${lane}`;
}

function CtiTable({ ctis }: { ctis: readonly CtiLine[] }) {
  const { shown, rest } = useParts(ctis);
  return (
    <section aria-label="CTIs">
      <h3>CTIs</h3>
      <Scroll label="CTIs">
        <table>
          <thead>
            <tr>
              <th>Node</th>
              <th>Of</th>
              <th>CTI</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ staircase, at }) => (
              <tr key={`${staircase.node} ${staircase.lane} ${staircase.substream}`}>
                <th scope="row">{staircase.node}</th>
                <td>{partOf(staircase)}</td>
                <td>{at === undefined ? <span className="quiet">none yet</span> : <Instant ticks={at} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rest}
    </section>
  );
}

function PaneTable({ panes, node }: { panes: readonly CurrentPane[]; node: string }) {
  const { select, differences } = useSimulator();
  const { shown, rest } = useParts(panes);
  if (panes.length === 0) return null;
  return (
    <>
      <Scroll label={`Panes of ${node}`} tall>
        <table>
          <thead>
            <tr>
              <th>Pane from</th>
              <th>To</th>
              <th>Group</th>
              <th>Values</th>
              <th>State</th>
              <th>From rows</th>
              <th>Missing rows</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ pane, start, end, phase, rows, values }) => (
              <tr key={pane.id} data-changed={differences?.panes.has(pane.id) || undefined}>
                <td>
                  <Instant ticks={start} />
                </td>
                <td>
                  <Instant ticks={end} />
                </td>
                <td>{valuesWords(pane.group)}</td>
                <td className="sim-values">
                  <button type="button" className="link" onClick={() => select({ kind: "pane", id: pane.id })}>
                    <span className="visually-hidden">Why </span>
                    {valuesWords(values)}
                  </button>
                </td>
                <td>{PHASE_WORDS[phase]}</td>
                <td>
                  {rows.length > 12 ? counted(rows.length, "row") : rows.map((number) => `row ${number}`).join(", ")}
                </td>
                <td>{pane.missed.map((number) => `row ${number}`).join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rest}
    </>
  );
}

function ResultTable({ results, node }: { results: readonly ResultLine[]; node: string }) {
  const { select } = useSimulator();
  const { shown, rest } = useParts(results);
  if (results.length === 0) return <p className="quiet small">No results yet.</p>;
  return (
    <>
      <Scroll label={`Results of ${node}`} tall>
        <table>
          <thead>
            <tr>
              <th>Start</th>
              <th>End</th>
              <th>Values</th>
              <th>Emitted at row</th>
              <th>From rows</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row, end }) => (
              <tr key={row.id}>
                <td>
                  <Instant ticks={row.start} />
                </td>
                <td>
                  <Instant ticks={end} />
                </td>
                <td className="sim-values">
                  <button type="button" className="link" onClick={() => select({ kind: "result", id: row.id })}>
                    <span className="visually-hidden">Why </span>
                    {valuesWords(row.payload) || "no values"}
                  </button>
                </td>
                <td>{row.released_by === null ? "the end" : row.after}</td>
                <td>
                  {row.rows.length > 12
                    ? counted(row.rows.length, "row")
                    : row.rows.map((each) => `row ${each}`).join(", ")}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rest}
    </>
  );
}

/** The limit for opening all tables at once. Larger queries open only the output tables: 60 tables take seconds. */
const ALL_OPEN = 8;

function NodeSection({ table, begins }: { table: NodeTable; begins: boolean }) {
  const kind = KIND_LABELS[table.kind as keyof typeof KIND_LABELS] ?? table.kind;
  const [open, setOpen] = useState(begins);
  return (
    <section aria-label={`${kind} ${table.node}`}>
      <h3>
        {table.node} <span className="quiet small">{kind}</span>{" "}
        {begins ? null : (
          <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : `Show ${counted(table.results.length, "row")}`}
            <span className="visually-hidden"> of {table.node}</span>
          </button>
        )}
      </h3>
      {open ? <PaneTable panes={table.panes} node={table.node} /> : null}
      {open ? <ResultTable results={table.results} node={table.node} /> : null}
    </section>
  );
}

/** The timeline's content as tables. */
export function TablesTab() {
  const { simulation } = useSimulator();
  const now = usePosition();
  const position = useDeferredValue(now);
  const tables = useMemo(() => tablesAt(simulation, position), [simulation, position]);
  return (
    <div className="stack sim-tables">
      {position === 0 ? (
        <Empty title="No rows have arrived yet">
          <p>Step or play. The tables fill as rows arrive.</p>
        </Empty>
      ) : null}
      <RowsTable rows={tables.rows} />
      <CtiTable ctis={tables.ctis} />
      {tables.nodes.map((table) => (
        <NodeSection
          key={table.node}
          table={table}
          begins={tables.nodes.length <= ALL_OPEN || table.kind === "output"}
        />
      ))}
    </div>
  );
}
