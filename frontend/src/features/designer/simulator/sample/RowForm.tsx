import { useState } from "react";
import { ModalDialog } from "../../../../components/actions/ModalDialog";
import { TextField } from "../../../../components/forms/Field";
import type { StreamDefinition } from "../../../../model/api";
import { changeRow, type SampleRow, sampleKey, shapeOf } from "../../../../model/simulation/sample/sample";
import { isoTime, readTime, typedTime, writtenLike } from "../../../../model/simulation/sample/sampleTimes";
import { parseExactly } from "../../../../model/text/exactJson";
import { formatInstant, type Ticks } from "../../../../model/time/ticks";
import { useSimulator } from "../view";

const TIME_FIELDS = [
  ["start", "Start"],
  ["end", "End"],
  ["cti", "CTI"],
  ["heartbeat", "Wall clock"],
  ["arrival", "Arrived at (wall clock)"],
] as const;
type TimeField = (typeof TIME_FIELDS)[number][0];

const HELP = "For example 2026-01-01T10:00:05Z, 10:00:05, or +2s relative to the old value.";

function shownTime(value: unknown): string {
  if (value === null) return "infinity";
  const at = readTime(value);
  return at === null ? String(value ?? "") : isoTime(at);
}

interface Typed {
  times: Partial<Record<TimeField, string>>;
  payload: string;
  bad: string;
  lane: string;
  edge: string;
}

function typedOf(row: SampleRow): Typed {
  const present = TIME_FIELDS.filter(([name]) => name in row).map(([name]) => [name, shownTime(row[name])] as const);
  return {
    times: Object.fromEntries(present),
    payload: "payload" in row ? JSON.stringify(row.payload) : "",
    bad: row.bad ?? "",
    lane: row.lane ?? "",
    edge: typeof row.edge === "string" ? row.edge : "",
  };
}

/** Parse a typed time, with `before` as the old value. Text that is no time stays text and makes the row malformed. */
function timeOf(text: string, before: unknown, near: Ticks): unknown {
  if (text.trim() === "infinity") return null;
  const at = typedTime(text, near);
  return at === null ? text : writtenLike(before ?? near, at);
}

function payloadOf(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

function timesOfTyped(row: SampleRow, typed: Typed): Partial<Record<TimeField, unknown>> {
  const changed = TIME_FIELDS.flatMap(([name]) => {
    const text = typed.times[name];
    if (text === undefined || text === shownTime(row[name])) return [];
    return [[name, timeOf(text, row[name], readTime(row[name]) ?? 0)] as const];
  });
  return Object.fromEntries(changed);
}

function rowOfTyped(row: SampleRow, typed: Typed): SampleRow {
  return {
    ...row,
    ...timesOfTyped(row, typed),
    ...("payload" in row ? { payload: payloadOf(typed.payload) ?? row.payload } : {}),
    ...(row.bad === undefined ? {} : { bad: typed.bad }),
    ...(typed.lane === (row.lane ?? "") ? {} : { lane: typed.lane }),
    ...(row.edge === undefined ? {} : { edge: typed.edge }),
  } as SampleRow;
}

function payloadWrong(row: SampleRow, text: string): string | null {
  if (!("payload" in row)) return null;
  return payloadOf(text) === undefined ? 'Enter the values as JSON, for example {"plate": "a", "speed": 120}.' : null;
}

/** Return how a typed time was understood, if that is not obvious. */
function heard(text: string, before: unknown): string {
  const at = text === "infinity" ? null : typedTime(text, readTime(before) ?? 0);
  if (text === "infinity") return "Never ends.";
  return at === null ? `Invalid time: the row will be malformed. ${HELP}` : `${formatInstant(at)}. ${HELP}`;
}

interface FieldsProps {
  row: SampleRow;
  typed: Typed;
  onChange: (typed: Typed) => void;
  lanes: boolean;
}

function Fields({ row, typed, onChange, lanes }: FieldsProps) {
  const wrong = payloadWrong(row, typed.payload);
  return (
    <>
      {TIME_FIELDS.map(([name, label]) => {
        const text = typed.times[name];
        return text === undefined ? null : (
          <TextField
            key={name}
            label={label}
            value={text}
            mono
            help={heard(text, row[name])}
            onChange={(next) => onChange({ ...typed, times: { ...typed.times, [name]: next } })}
          />
        );
      })}
      {row.edge === undefined ? null : (
        <TextField label="Edge: start or end" value={typed.edge} onChange={(edge) => onChange({ ...typed, edge })} />
      )}
      {lanes ? <TextField label="Lane" value={typed.lane} onChange={(lane) => onChange({ ...typed, lane })} /> : null}
      {"payload" in row ? (
        <TextField
          label="Values"
          value={typed.payload}
          mono
          help={wrong ?? "JSON"}
          onChange={(payload) => onChange({ ...typed, payload })}
        />
      ) : null}
      {row.bad === undefined ? null : (
        <TextField label="Raw text" value={typed.bad} mono onChange={(bad) => onChange({ ...typed, bad })} />
      )}
    </>
  );
}

const TITLES = {
  event: "Edit event",
  cti: "Edit CTI",
  heartbeat: "Edit heartbeat",
  bad: "Edit raw row",
};

interface RowFormProps {
  rowKey: string | null;
  onClose: () => void;
}

function Form({
  row,
  rowKey,
  onClose,
  stream,
}: {
  row: SampleRow;
  rowKey: string;
  onClose: () => void;
  stream: StreamDefinition | undefined;
}) {
  const { edits } = useSimulator();
  const [typed, setTyped] = useState(() => typedOf(row));
  const wrong = payloadWrong(row, typed.payload);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (wrong !== null) return;
        edits.edit((sample) => changeRow(sample, rowKey, (each) => rowOfTyped(each, typed)));
        onClose();
      }}
    >
      <Fields
        row={row}
        typed={typed}
        onChange={setTyped}
        lanes={row.lane !== undefined || (stream?.lanes?.length ?? 0) > 1}
      />
      <div className="row">
        <button type="submit" className="button" data-kind="primary" disabled={wrong !== null}>
          Save row
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** A form for one row of the sample. */
export function RowForm({ rowKey, onClose }: RowFormProps) {
  const { sample, streams } = useSimulator();
  const row = sample.rows.find(({ key }) => rowKey !== null && key === sampleKey(rowKey))?.row;
  return (
    <ModalDialog
      title={row === undefined ? "Edit row" : TITLES[shapeOf(row)]}
      open={row !== undefined}
      onClose={onClose}
    >
      {row === undefined || rowKey === null ? null : (
        <Form key={rowKey} row={row} rowKey={rowKey} onClose={onClose} stream={streams.get(row.stream)} />
      )}
    </ModalDialog>
  );
}
