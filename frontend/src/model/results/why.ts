/** Questions about a run's result rows, existing or missing: in an address, and in words. */

import type { MadeInBatch, TracedRow, WhyBody } from "../api";
import { counted } from "../text/counts";
import { formatInstant } from "../time/ticks";

/** A place: an output, a typed time, and optionally a field with a value that the row must have. */
export interface PlaceRequest {
  kind: "place";
  output: string;
  at: string;
  field: string;
  value: string;
}

export type WhyRequest = { kind: "row"; id: string } | PlaceRequest;

const NAMES = { row: "why", output: "why_none", at: "at", field: "field", value: "is" } as const;

/** Return the question in an address; null without one. */
export function readWhyRequest(params: URLSearchParams): WhyRequest | null {
  const id = params.get(NAMES.row);
  if (id !== null) return { kind: "row", id };
  const output = params.get(NAMES.output);
  if (output === null) return null;
  const param = (name: string) => params.get(name) ?? "";
  return { kind: "place", output, at: param(NAMES.at), field: param(NAMES.field), value: param(NAMES.value) };
}

/** Return the address `now` with this question instead of the previous one. */
export function asWhyParams(now: URLSearchParams, asked: WhyRequest | null): URLSearchParams {
  const made = new URLSearchParams(now);
  for (const name of Object.values(NAMES)) made.delete(name);
  if (asked?.kind === "row") made.set(NAMES.row, asked.id);
  if (asked?.kind === "place") {
    made.set(NAMES.output, asked.output);
    for (const name of ["at", "field", "value"] as const) if (asked[name] !== "") made.set(NAMES[name], asked[name]);
  }
  return made;
}

/** Return the request for the server; null without a time. */
export function whyBody(binding: string, asked: WhyRequest): WhyBody | null {
  if (asked.kind === "row") return { binding, result: asked.id };
  const at = asked.at.trim();
  if (at === "") return null;
  const key = asked.field === "" ? {} : { [asked.field]: asked.value };
  return { binding, place: { output: asked.output, at: /^-?\d+$/.test(at) ? Number(at) : at, key } };
}

/** Return `Batch 7`, or `One of the batches 3 to 7, which are stored together`. */
export function batchWords({ batch, first, last }: MadeInBatch): string {
  return first === last ? `Batch ${batch}` : `One of the batches ${first} to ${last}, which are stored together`;
}

/** Return how far the batch advanced each input. */
export function movedWords({ inputs }: MadeInBatch): string[] {
  return inputs.map(({ input, before, after, ended }) => {
    const was = before === null ? "" : ` from ${formatInstant(before)}`;
    if (ended) return `Input '${input}' had ended.`;
    if (after === null) return `'${input}' had no CTI yet.`;
    if (before === after) return `The CTI of '${input}' was ${formatInstant(after)}.`;
    return `The CTI of '${input}' advanced${was} to ${formatInstant(after)}.`;
  });
}

/** Return the name of a row, as on the quarantine page. */
export function placeWords({ input, lane, position }: TracedRow): string {
  return `${input}, ${lane} · ${position}`;
}

export function leftOutWords(count: number): string {
  return `Not shown: ${counted(count, "more row")}.`;
}
