/** Conditions of live queries: their words and tones, and the page on which somebody can act. */

import type { Condition, HomeRow } from "../api";
import type { Tone } from "../run/states";

/** `urgent`: it gets worse while you wait. */
export type ConditionTone = Tone | "urgent";

interface ConditionWords {
  label: string;
  tone: ConditionTone;
  /** The action that ends a row, and its page. */
  action: string;
  page: "rows" | "run" | "log" | "deliveries" | "alerts";
}

export const CONDITION_WORDS: Record<Condition, ConditionWords> = {
  rows_lost: { label: "Losing rows", tone: "urgent", action: "See the rows", page: "rows" },
  no_output: { label: "No output", tone: "bad", action: "See the inputs", page: "run" },
  failed: { label: "Failed", tone: "bad", action: "See the error", page: "run" },
  not_running: { label: "Not running", tone: "bad", action: "See the run", page: "run" },
  unknown: { label: "Unknown", tone: "unknown", action: "Log", page: "log" },
  delivery_stopped: { label: "Delivery stopped", tone: "unknown", action: "Deliveries", page: "deliveries" },
  delivery_failing: { label: "Delivery failing", tone: "unknown", action: "Deliveries", page: "deliveries" },
  no_rows: { label: "No rows", tone: "unknown", action: "See the inputs", page: "run" },
  lane_delays: { label: "Lane delays", tone: "unknown", action: "See the lanes", page: "run" },
  clock_ahead: { label: "Clock ahead", tone: "unknown", action: "See the rows", page: "rows" },
  often_adjusted: { label: "Often adjusted", tone: "unknown", action: "What if", page: "run" },
  slow: { label: "Slow", tone: "unknown", action: "See the run", page: "run" },
  alert: { label: "Alert", tone: "unknown", action: "Alerts", page: "alerts" },
  undecided: { label: "Rules unknown", tone: "unknown", action: "Alerts", page: "alerts" },
  starting: { label: "Starting", tone: "busy", action: "See the run", page: "run" },
  healthy: { label: "Healthy", tone: "good", action: "Open", page: "run" },
};

/** Return the address, within the organisation, on which somebody can act on a row. */
export function actionPage({ condition, run, binding }: HomeRow): string {
  const { page } = CONDITION_WORDS[condition];
  return {
    rows: `runs/${run}#quarantine`,
    run: `runs/${run}`,
    log: `runs/${run}/logs`,
    deliveries: `bindings/${binding}`,
    alerts: "alerts",
  }[page];
}
