/** Fill the stream form from a sample of the input; a person corrects what is wrong. */

import type { AdapterKind, StreamProposal, TimeCandidate } from "../api";
import { counted } from "../text/counts";
import { isClocked, type StreamForm, writtenEnd, writtenTime } from "./streamForm";

const ENDINGS = /\.(gz|zst)$|\.(csv|jsonl?|ndjson|parquet|pq|txt)$/i;
const LONGEST = 63;

/** Return a stream name for a file: the file's own name, as far as it is valid. */
export function nameOfFile(path: string): string {
  let name = path.split("/").at(-1) ?? "";
  while (ENDINGS.test(name)) name = name.replace(ENDINGS, "");
  const words = name
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
  const begun = /^[a-z]/.test(words) ? words : `stream_${words}`;
  return begun.slice(0, LONGEST).replace(/_+$/, "");
}

/** Return the proposed delay for a time, or the form's own. */
function proposedDelay(time: TimeCandidate | undefined, form: StreamForm): string {
  return time?.lateness?.choices.find((choice) => choice.proposed)?.delay ?? form.delay;
}

/** Return the columns of the event time, which are not fields. */
function timesOf(time: TimeCandidate | undefined): ReadonlySet<string | null> {
  if (time === undefined) return new Set();
  return new Set(time.shape === "edge" ? [time.start.column, time.end?.column ?? null, time.edge] : []);
}

/** Return true if a kind of adapter sets the time and fields of each event itself. */
export function givesAll(kind: AdapterKind | undefined): boolean {
  return kind !== undefined && kind.fields !== null;
}

/** Return the form's settings with a clock for each value of a field, if the rows of `time` need that. */
function withOver({ kept }: StreamForm, time: TimeCandidate | undefined): StreamForm["kept"]["advance"] {
  const { over: _, ...others } = kept.advance;
  return time?.over == null ? others : { ...others, over: time.over };
}

/** Return the form with `time` as its event time; other typed values stay. */
export function withTime(form: StreamForm, proposal: StreamProposal, time: TimeCandidate | undefined): StreamForm {
  const used = timesOf(time);
  const fields = proposal.fields.filter(({ column }) => !used.has(column));
  const found = {
    ...form,
    fields: fields.map(({ name, type }, key) => ({ key, name, type })),
    delay: proposedDelay(time, form),
    kept: { ...form.kept, advance: withOver(form, time) },
  };
  if (time === undefined) return { ...found, shape: "point", startColumn: "", endColumn: "", edgeColumn: "" };
  return {
    ...found,
    shape: time.shape,
    startColumn: time.start.column,
    ...writtenTime(time.start),
    endColumn: time.end?.column ?? "",
    ...writtenEnd(time.end ?? time.start),
    edgeColumn: time.edge ?? "",
    late: time.shape === "point" ? "drop" : "adjust",
  };
}

/** Return the form filled from the proposal, with its likeliest time; for a kind that sets everything, only the delay. */
export function withProposal(form: StreamForm, proposal: StreamProposal, kind: AdapterKind | undefined): StreamForm {
  const [first] = proposal.times;
  const likeliest = first?.asks === true ? undefined : first; // a person has to choose the right reading
  const generate = !isClocked(kind, likeliest?.shape ?? form.shape);
  const begun = { ...form, every: "10", basis: "max" as const, final: true, generate };
  if (givesAll(kind)) return { ...begun, delay: proposedDelay(likeliest, form) };
  return withTime(begun, proposal, likeliest);
}

/** Return the candidate used in the form. */
export function takenTime(form: StreamForm, proposal: StreamProposal | null): TimeCandidate | undefined {
  return proposal?.times.find(
    ({ start, shape }) =>
      start.column === form.startColumn &&
      start.unit === form.unit &&
      (start.pattern ?? "") === (form.unit === "pattern" ? form.pattern : "") &&
      (start.time_column ?? "") === form.clockColumn &&
      shape === form.shape,
  );
}

const LATER = {
  drop: "later events are excluded from the results and kept in quarantine",
  adjust: "the start of later events is moved up",
  shift: "later events are moved to the CTI",
  keep: "later events still count in open windows",
} as const;

function rhythm(every: string): string {
  const text = every.trim();
  return /^\d+$/.test(text) ? `after every ${counted(Number(text), "event")}` : `every ${text}`;
}

/** Describe what will happen to the events, in one sentence. */
export function plannedWords(form: StreamForm, kind?: AdapterKind): string {
  if (form.kept.advance.preset) return `The preset ${form.kept.advance.preset} advances time.`;
  if (!form.generate && isClocked(kind, form.shape)) return "CTIs arrive with the rows, so no delay is needed.";
  if (!form.generate) return "Windows are complete only when the input sends CTIs.";
  const delay = form.delay.trim();
  const behind =
    delay === "" || /^[+-]?0+[a-z]*$/.test(delay)
      ? "at the newest event"
      : `${delay} before the ${form.basis === "max" ? "newest" : "last received"} event`;
  const points = form.shape === "point" && form.late === "adjust" ? LATER.drop : LATER[form.late];
  return `A CTI ${rhythm(form.every)}, ${behind}; ${points}.`;
}

/** Return the share of the sample that a delay keeps, in words. */
export function keptWords({ kept, late }: { kept: number; late: number }): string {
  if (late === 0) return "keeps every row of the sample";
  const share = Math.min(99.9, Math.floor(kept * 1000) / 10);
  return `keeps ${share} %: all but ${counted(late, "row")} of the sample`;
}
