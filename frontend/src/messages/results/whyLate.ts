/** The reason why a row is in the quarantine, in sentences. */

import type { LateResponse, RunDefinitionResponse } from "../../model/api";
import { formatSpan, parseDuration, type Ticks } from "../../model/time/ticks";
import { advanceWords } from "../definition/advance";

const WHEN_LATE = ["dropped_late", "adjusted", "shifted", "late_kept", "dropped_window_closed"];

/** Return the delay of the row's lane; null if CTIs come with the data, or from a preset. */
function delayOf(row: LateResponse, { inputs }: RunDefinitionResponse): Ticks | null {
  const read = inputs.find(({ node }) => node === row.input);
  const advance = read?.advance ?? read?.definition.advance;
  if (advance?.generate == null || advance.import_from != null) return null;
  return parseDuration(advance.generate.delay ?? 0);
}

/** Explain a late row in sentences; `ran` is the run's definition, null while unknown. */
export function whyLate(row: LateResponse, ran: RunDefinitionResponse | null): string[] {
  return [...expectedWords(row, ran), ...metWords(row, ran)];
}

/** Return the expected form of a malformed row. */
function expectedWords({ input, reason }: LateResponse, ran: RunDefinitionResponse | null): string[] {
  const definition = ran?.inputs.find(({ node }) => node === input)?.definition;
  if (definition === undefined) return [];
  if (reason === "bad_payload") {
    const types = Object.entries(definition.fields).map(([name, type]) => `${name} ${type}`);
    return [`Each value must match its field's type, or be empty: ${types.join(", ")}.`];
  }
  const start = definition.event_time?.start;
  if (reason !== "bad_time" || !start) return [];
  const unit = expectedForm(start);
  return [`Its time must be in ${start.column}, as ${unit}.`];
}

function expectedForm({ unit, pattern }: { unit?: string; pattern?: string | null }): string {
  if (unit === "pattern") return `text in the format ${pattern}`;
  if (unit === "excel") return "a number of days, as spreadsheets store it";
  return unit === undefined || unit === "iso" ? "ISO 8601 text" : `a number of ${unit}`;
}

function metWords(row: LateResponse, ran: RunDefinitionResponse | null): string[] {
  if (row.cti === null || row.start === null || row.cti <= row.start) return [];
  const behind = row.cti - row.start;
  const met = `When it arrived, the CTI of lane ${row.lane} of ${row.input} was ${formatSpan(behind)} after its start.`;
  if (ran === null || !WHEN_LATE.includes(row.outcome)) return [met];
  const read = ran.inputs.find(({ node }) => node === row.input);
  const settings = advanceWords(read?.advance ?? read?.definition.advance ?? null);
  const delay = delayOf(row, ran);
  const remedy =
    delay === null
      ? "CTIs of this input come with the data or from a preset. The row would have been on time only with a later CTI."
      : `With a delay of ${exact(delay + behind)} instead of ${exact(delay)} it would have been on time.`;
  return [met, ...settings, remedy];
}

/** Return a duration to the tick, for reading: `2 h`, `2.342872 s`, `12.5 ms`. */
function exact(ticks: Ticks): string {
  const whole = WHOLE.find(([, size]) => ticks > 0 && ticks % size === 0);
  if (whole !== undefined) return `${ticks / whole[1]} ${whole[0]}`;
  const [unit, size, digits] =
    ticks >= 1_000_000 || ticks === 0 ? (["s", 1_000_000, 6] as const) : (["ms", 1_000, 3] as const);
  return `${Number((ticks / size).toFixed(digits))} ${unit}`;
}

const WHOLE: readonly (readonly [string, Ticks])[] = [
  ["h", 3_600_000_000],
  ["min", 60_000_000],
];
