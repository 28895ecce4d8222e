/** Why a row of a run's results is so, or why there is none: what is asked, in an address, and in words. */

import type { MadeInBatch, TracedRow, WhyBody } from "./api";
import { counted } from "./counts";
import { formatInstant } from "./ticks";

/** A place: an output, a time as it was typed, and perhaps a field with a value, which the row must have. */
export interface PlaceAsked {
  kind: "place";
  output: string;
  at: string;
  field: string;
  value: string;
}

export type WhyAsked = { kind: "row"; id: string } | PlaceAsked;

const NAMES = { row: "why", output: "why_none", at: "at", field: "field", value: "is" } as const;

/** What an address asks; null: nothing. */
export function whyAsked(params: URLSearchParams): WhyAsked | null {
  const id = params.get(NAMES.row);
  if (id !== null) return { kind: "row", id };
  const output = params.get(NAMES.output);
  if (output === null) return null;
  const said = (name: string) => params.get(name) ?? "";
  return { kind: "place", output, at: said(NAMES.at), field: said(NAMES.field), value: said(NAMES.value) };
}

/** The address `now` with what is asked in place of what it asked before. */
export function asWhyParams(now: URLSearchParams, asked: WhyAsked | null): URLSearchParams {
  const made = new URLSearchParams(now);
  for (const name of Object.values(NAMES)) made.delete(name);
  if (asked?.kind === "row") made.set(NAMES.row, asked.id);
  if (asked?.kind === "place") {
    made.set(NAMES.output, asked.output);
    for (const name of ["at", "field", "value"] as const) if (asked[name] !== "") made.set(NAMES[name], asked[name]);
  }
  return made;
}

/** What the server is asked; null while no time is said. */
export function whyBody(binding: string, asked: WhyAsked, most: number): WhyBody | null {
  if (asked.kind === "row") return { binding, result: asked.id, most_rows: most };
  const at = asked.at.trim();
  if (at === "") return null;
  const key = asked.field === "" ? {} : { [asked.field]: asked.value };
  return { binding, place: { output: asked.output, at: /^-?\d+$/.test(at) ? Number(at) : at, key }, most_rows: most };
}

/** `Batch 7`, or `Batches 3 to 7, which are kept as one`. */
export function batchWords({ batch, first, last }: MadeInBatch): string {
  return first === last ? `Batch ${batch}` : `One of the batches ${first} to ${last}, which are kept as one`;
}

/** How far the batch brought each input. */
export function movedWords({ inputs }: MadeInBatch): string[] {
  return inputs.map(({ input, before, after, ended }) => {
    const was = before === null ? "" : ` from ${formatInstant(before)}`;
    if (ended) return `The input '${input}' had ended.`;
    if (after === null) return `'${input}' had no CTI yet.`;
    if (before === after) return `The CTI of '${input}' stood at ${formatInstant(after)}.`;
    return `The CTI of '${input}' came${was} to ${formatInstant(after)}.`;
  });
}

/** The name of a row as the page of quarantine has it. */
export function placeWords({ input, lane, position }: TracedRow): string {
  return `${input}, ${lane} · ${position}`;
}

export function leftOutWords(count: number): string {
  return `Not shown: ${counted(count, "more row")}.`;
}
