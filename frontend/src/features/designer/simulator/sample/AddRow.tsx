import type { StreamDefinition } from "../../../../model/api";
import { insertRows, type SampleRow } from "../../../../model/simulation/sample/sample";
import { isoTime } from "../../../../model/simulation/sample/sampleTimes";
import { rowOfKey, type SimulatorView, useSimulator } from "../view";

const KINDS = [
  ["event", "event"],
  ["cti", "CTI"],
  ["heartbeat", "heartbeat"],
  ["bad", "raw text"],
] as const;
type Kind = (typeof KINDS)[number][0];

const SECOND = 1_000_000;

const EMPTY_VALUES: Record<string, unknown> = { long: 1, double: 1, boolean: true, string: "a" };

function valuesFor(definition: StreamDefinition | undefined): Record<string, unknown> {
  const fields = Object.entries(definition?.fields ?? {});
  return Object.fromEntries(fields.map(([name, type]) => [name, EMPTY_VALUES[type] ?? null]));
}

/** Return the row after which another one is inserted: the selected one, else the last. */
function place(view: SimulatorView): { at: number; time: number; stream: string | null; payload: unknown } {
  const { selected, simulation, sample } = view;
  const row = selected?.kind === "row" ? rowOfKey(view, selected.key) : (simulation.rows.at(-1) ?? null);
  const at = row?.sample_row ?? sample.rows.length;
  const same = sample.rows[at - 1]?.row;
  const payload = same !== undefined && "payload" in same ? same.payload : undefined;
  return { at, time: (row?.start ?? 0) + SECOND, stream: same?.stream ?? null, payload };
}

function newEvent(time: string, stream: string, payload: unknown, definition: StreamDefinition | undefined): SampleRow {
  const shape = definition?.shape ?? "point";
  const values = { payload: structuredClone(payload) ?? valuesFor(definition) };
  if (shape === "interval")
    return { stream, start: time, end: isoTime(Date.parse(time) * 1_000 + 2 * SECOND), ...values };
  return shape === "edge" ? { stream, start: time, edge: "start", ...values } : { stream, start: time, ...values };
}

function newRow(kind: Kind, view: SimulatorView): { row: SampleRow; at: number } {
  const { at, time, stream: near, payload } = place(view);
  const stream = near ?? [...view.streams.keys()][0] ?? "";
  const written = isoTime(time);
  if (kind === "cti") return { row: { stream, cti: written }, at };
  if (kind === "heartbeat") return { row: { stream, heartbeat: written }, at };
  if (kind === "bad") return { row: { stream, bad: "an unreadable line" }, at };
  return { row: newEvent(written, stream, payload, view.streams.get(stream)), at };
}

/** Insert a row after the selected one, and open its form. */
export function AddRow() {
  const view = useSimulator();
  const add = (kind: Kind) => {
    const { row, at } = newRow(kind, view);
    const key = `r${view.sample.next}`;
    view.edits.edit((sample) => insertRows(sample, at, [row]));
    view.select({ kind: "row", key });
    view.editRow(key);
  };
  return (
    <div className="row sim-add">
      <span className="small quiet">
        {view.selected?.kind === "row" ? "Add below the selected row:" : "Add a row:"}
      </span>
      {KINDS.map(([kind, words]) => (
        <button key={kind} type="button" className="button" onClick={() => add(kind)}>
          + {words}
        </button>
      ))}
    </div>
  );
}
