/** The figures of a binding over time: sums, stacked bars, spans, and rows of the tables and files behind charts. */

import type { DashboardResponse, DashboardStep } from "../api";
import { DROPPED, OUTCOMES, type Outcome } from "../run/outcomes";
import { formatInstant, type Ticks } from "../time/ticks";
import type { Span } from "./ranges";

export function receivedIn({ outcomes }: DashboardStep): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

/** Return the rows of all steps by outcome. */
export function wholeOf(steps: readonly DashboardStep[]): Record<Outcome, number> {
  const whole = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcomes } of steps) for (const outcome of OUTCOMES) whole[outcome] += outcomes[outcome] ?? 0;
  return whole;
}

/** Outcomes of rows that are in no result. */
const LOST: readonly Outcome[] = [...DROPPED, "malformed"];

export function lostOf(counts: Readonly<Record<Outcome, number>>): number {
  return LOST.reduce((sum, outcome) => sum + counts[outcome], 0);
}

export interface StackPart {
  outcome: Outcome;
  /** Shares of the height of the chart, from its foot. */
  from: number;
  to: number;
}

/** Return the parts of a step's bar; `most` is the number of rows at the top of the chart. */
export function stackOf({ outcomes }: DashboardStep, most: number): StackPart[] {
  let reached = 0;
  return OUTCOMES.flatMap((outcome) => {
    const count = outcomes[outcome] ?? 0;
    if (count === 0 || most === 0) return [];
    const from = reached;
    reached += count / most;
    return [{ outcome, from, to: reached }];
  });
}

/** Return the spans whose reports may be missing; neighbouring steps are one span. */
export function unknownSpans({
  steps,
  step,
}: {
  steps: readonly Pick<DashboardStep, "at" | "knowledge">[];
  step: Ticks;
}): Span[] {
  const spans: Span[] = [];
  for (const { at, knowledge } of steps) {
    const last = spans.at(-1);
    if (knowledge !== "unknown") continue;
    if (last?.end === at) last.end = at + step;
    else spans.push({ begin: at, end: at + step });
  }
  return spans;
}

const KNOWLEDGE_WORDS: Record<DashboardStep["knowledge"], string> = {
  known: "",
  unknown: "reports may be missing",
  none: "no run",
};

/** A table: its head, and rows of texts and numbers; null: no data. */
export interface FigureTable {
  head: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}

/** Return the rows of the outcomes chart, newest first; steps without a row and a note are left out. */
export function outcomesTable({ steps }: Pick<DashboardResponse, "steps">): FigureTable {
  const shown = steps.filter((step) => receivedIn(step) > 0 || step.knowledge === "unknown").toReversed();
  return {
    head: ["From (UTC)", "Received", ...OUTCOMES, "Note"],
    rows: shown.map((step) => [
      formatInstant(step.at),
      receivedIn(step),
      ...OUTCOMES.map((outcome) => step.outcomes[outcome] ?? 0),
      KNOWLEDGE_WORDS[step.knowledge],
    ]),
  };
}

/** A cell of a CSV file; a text that a spreadsheet would compute stays a text. */
function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Return a table as a CSV file (RFC 4180). */
export function csvOf({ head, rows }: FigureTable): string {
  return [head, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}
