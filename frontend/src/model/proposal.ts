/** What was found in a sample of an input becomes what stands in the form of a stream; a person changes what is wrong. */

import type { AdapterKind, StreamProposal, TimeCandidate } from "./api";
import { counted } from "./counts";
import { isClocked, type StreamForm } from "./streamForm";

const ENDINGS = /\.(gz|zst)$|\.(csv|jsonl?|ndjson|parquet|pq|txt)$/i;
const LONGEST = 63;

/** A name for the stream that reads a file: its own, as far as a stream may be called so. */
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

/** The delay that is proposed for a time, or the form's own. */
function proposedDelay(time: TimeCandidate | undefined, form: StreamForm): string {
  return time?.lateness?.choices.find((choice) => choice.proposed)?.delay ?? form.delay;
}

/** The columns that say when an event is, which are no fields of it. */
function timesOf(time: TimeCandidate | undefined): ReadonlySet<string | null> {
  if (time === undefined) return new Set();
  return new Set(time.shape === "edge" ? [time.start.column, time.end?.column ?? null, time.edge] : []);
}

/** Whether the adapter of a kind gives each event its time and its fields itself. */
export function givesAll(kind: AdapterKind | undefined): boolean {
  return kind !== undefined && kind.fields !== null;
}

/** The form with `time` taken as the time of the events; what was typed besides stays. */
export function withTime(form: StreamForm, proposal: StreamProposal, time: TimeCandidate | undefined): StreamForm {
  const used = timesOf(time);
  const fields = proposal.fields.filter(({ column }) => !used.has(column));
  const found = {
    ...form,
    fields: fields.map(({ name, type }, key) => ({ key, name, type })),
    delay: proposedDelay(time, form),
  };
  if (time === undefined) return { ...found, shape: "point", startColumn: "", endColumn: "", edgeColumn: "" };
  return {
    ...found,
    shape: time.shape,
    startColumn: time.start.column,
    unit: time.start.unit ?? "iso",
    zone: time.start.zone ?? "UTC",
    endColumn: time.end?.column ?? "",
    endUnit: (time.end ?? time.start).unit ?? "iso",
    endZone: (time.end ?? time.start).zone ?? "UTC",
    edgeColumn: time.edge ?? "",
    late: time.shape === "point" ? "drop" : "adjust",
  };
}

/** The form as the proposal fills it in, with its likeliest time; of a kind that gives all, the delay alone. */
export function withProposal(form: StreamForm, proposal: StreamProposal, kind: AdapterKind | undefined): StreamForm {
  const [likeliest] = proposal.times;
  const generate = !isClocked(kind, likeliest?.shape ?? form.shape);
  const begun = { ...form, every: "10", basis: "max" as const, final: true, generate };
  if (givesAll(kind)) return { ...begun, delay: proposedDelay(likeliest, form) };
  return withTime(begun, proposal, likeliest);
}

/** The candidate that the form has taken. */
export function takenTime(form: StreamForm, proposal: StreamProposal | null): TimeCandidate | undefined {
  return proposal?.times.find(
    ({ start, shape }) => start.column === form.startColumn && start.unit === form.unit && shape === form.shape,
  );
}

const LATER = {
  drop: "later events are left out of the results and kept in quarantine",
  adjust: "later events are cut to fit",
  shift: "later events are moved to the present moment",
  keep: "later events still count in windows that are open",
} as const;

function rhythm(every: string): string {
  const text = every.trim();
  return /^\d+$/.test(text) ? `after every ${counted(Number(text), "event")}` : `every ${text}`;
}

/** What will happen to the events, in one sentence. */
export function plannedWords(form: StreamForm, kind?: AdapterKind): string {
  if (form.kept.advance.preset) return `Time advances as ${form.kept.advance.preset} says.`;
  if (!form.generate && isClocked(kind, form.shape))
    return "CTIs come with the rows and say how far all has been read: nothing has to be waited for.";
  if (!form.generate) return "Nothing says when a window is complete: time advances by CTIs that the input sends.";
  const delay = form.delay.trim();
  const behind =
    delay === "" || /^[+-]?0+[a-z]*$/.test(delay)
      ? "at the newest event"
      : `${delay} behind the ${form.basis === "max" ? "newest" : "last received"} event`;
  const points = form.shape === "point" && form.late === "adjust" ? LATER.drop : LATER[form.late];
  return `A CTI ${rhythm(form.every)}, ${behind}; ${points}.`;
}

/** How much of the sample a delay keeps, in words. */
export function keptWords({ kept, late }: { kept: number; late: number }): string {
  if (late === 0) return "keeps every row of the sample";
  const share = Math.min(99.9, Math.floor(kept * 1000) / 10);
  return `keeps ${share} %: all but ${counted(late, "row")} of the sample`;
}
