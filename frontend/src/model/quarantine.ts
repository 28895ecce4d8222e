/** Rows of a quarantine: which are meant, and why each is there. */

import { advanceWords } from "./advance";
import type { LateShown, RunDefinitionShown } from "./api";
import type { Outcome } from "./outcomes";
import { formatSpan, parseDuration, type Ticks } from "./ticks";

/** What is chosen; an empty text is everything. Times are as a field of date and time has them, in UTC. */
export interface LateChoice {
  outcome: Outcome | "";
  reason: string;
  input: string;
  lane: string;
  text: string;
  since: string;
  until: string;
  /** Before the CTI by at most so much, as a duration is written. */
  lateBy: string;
}

export const EVERYTHING: LateChoice = {
  outcome: "",
  reason: "",
  input: "",
  lane: "",
  text: "",
  since: "",
  until: "",
  lateBy: "",
};

export interface LateQuery {
  outcome?: Outcome;
  reason?: string;
  input?: string;
  lane?: string;
  text?: string;
  since?: Ticks;
  until?: Ticks;
  late_by?: Ticks;
}

function tickOf(text: string): Ticks | undefined {
  const at = Date.parse(`${text}Z`);
  return text === "" || Number.isNaN(at) ? undefined : at * 1_000;
}

/** The choice as the server takes it: what is not chosen is left out. */
export function lateQuery(choice: LateChoice): LateQuery {
  const { since, until, lateBy, ...texts } = choice;
  const said = Object.entries(texts).filter(([, value]) => value.trim() !== "");
  const by = parseDuration(lateBy);
  const late_by = lateBy.trim() === "" || by === null || by < 0 ? undefined : by;
  const times = Object.entries({ since: tickOf(since), until: tickOf(until), late_by }).filter(
    ([, at]) => at !== undefined,
  );
  return Object.fromEntries([...said, ...times]);
}

/** The same in an address. */
export function lateParams(choice: LateChoice): URLSearchParams {
  return new URLSearchParams(Object.entries(lateQuery(choice)).map(([name, value]) => [name, String(value)]));
}

const WHEN_LATE = ["dropped_late", "adjusted", "shifted", "late_kept", "dropped_window_closed"];

/** The delay that its lane had; null where CTIs come with the data, or by a preset. */
function delayOf(row: LateShown, { inputs }: RunDefinitionShown): Ticks | null {
  const read = inputs.find(({ node }) => node === row.input);
  const advance = read?.advance ?? read?.definition.advance;
  if (advance?.generate == null || advance.import_from != null) return null;
  return parseDuration(advance.generate.delay ?? 0);
}

/** What a row met, in sentences; `ran` is what the run ran, null while it is not known. */
export function whyLate(row: LateShown, ran: RunDefinitionShown | null): string[] {
  return [...expectedWords(row, ran), ...metWords(row, ran)];
}

/** What a malformed row would have had to be. */
function expectedWords({ input, reason }: LateShown, ran: RunDefinitionShown | null): string[] {
  const definition = ran?.inputs.find(({ node }) => node === input)?.definition;
  if (definition === undefined) return [];
  if (reason === "bad_payload") {
    const types = Object.entries(definition.fields).map(([name, type]) => `${name} ${type}`);
    return [`Each value must be of the type of its field, or empty: ${types.join(", ")}.`];
  }
  const start = definition.event_time?.start;
  if (reason !== "bad_time" || !start) return [];
  const unit = start.unit === undefined || start.unit === "iso" ? "ISO 8601 text" : `a number of ${start.unit}`;
  return [`Its time must stand in ${start.column}, as ${unit}.`];
}

function metWords(row: LateShown, ran: RunDefinitionShown | null): string[] {
  if (row.cti === null || row.start === null || row.cti <= row.start) return [];
  const behind = row.cti - row.start;
  const met = `When it came, the CTI of lane ${row.lane} of ${row.input} was ${formatSpan(behind)} beyond its start.`;
  if (ran === null || !WHEN_LATE.includes(row.outcome)) return [met];
  const read = ran.inputs.find(({ node }) => node === row.input);
  const settings = advanceWords(read?.advance ?? read?.definition.advance ?? null);
  const delay = delayOf(row, ran);
  const remedy =
    delay === null
      ? "CTIs of this input come as they were sent, or by a preset: it would have been on time only with a CTI that came later."
      : `With a delay of ${exact(delay + behind)} in place of ${exact(delay)} it would have been on time.`;
  return [met, ...settings, remedy];
}

/** A length of time to the last tick, for reading: `2 h`, `2.342872 s`, `12.5 ms`. */
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
