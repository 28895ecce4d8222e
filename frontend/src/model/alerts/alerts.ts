/** Alerts: the words and tones of their states, and limits in words. */

import type { AlertResponse, AlertRuleResponse, AlertThresholds } from "../api";
import type { Tone } from "../run/states";
import { counted } from "../text/counts";
import { formatSpan } from "../time/ticks";

/** The state of an alert in words; a firing one with its level. */
export function phaseWords({ phase, level, silenced_until }: AlertResponse): string {
  if (phase === "firing")
    return `${level === "page" ? "Firing, pages" : "Firing, warns"}${silenced_until ? ", silenced" : ""}`;
  return { pending: "Pending", unknown: "Unknown", resolved: "Resolved" }[phase];
}

export function phaseTone({ phase, level }: AlertResponse): Tone {
  if (phase === "firing") return level === "page" ? "bad" : "busy";
  return ({ pending: "idle", unknown: "unknown", resolved: "done" } as const)[phase];
}

/** True for an alert that fires and that nobody has taken. */
export function isOpen({ phase, acknowledged }: AlertResponse): boolean {
  return phase === "firing" && acknowledged === null;
}

type Limit = NonNullable<AlertThresholds["warn"]>;
type Unit = AlertRuleResponse["unit"];

const TICKS_PER_S = 1_000_000;
const GIB = 2 ** 30;

function valueWords(value: number, unit: Unit): string {
  if (unit === "s") return formatSpan(value * TICKS_PER_S);
  if (unit === "share") return `${Math.round(value * 100_000) / 1_000} %`;
  if (unit === "bytes") return `${Math.round(value / GIB)} GB`;
  return counted(value, unit.replace(/s$/, ""));
}

function limitWords({ at, rows, for_s }: Limit, unit: Unit): string {
  const many = rows ? ` and ${counted(rows, "row")}` : "";
  return `${valueWords(at, unit)}${many}${for_s ? ` for ${formatSpan(for_s * TICKS_PER_S)}` : ""}`;
}

/** A limit of a rule in words, for example `1 % and 100 rows`; a dash without one. */
export function levelWords(limit: Limit | null, unit: Unit): string {
  return limit === null ? "–" : limitWords(limit, unit);
}
