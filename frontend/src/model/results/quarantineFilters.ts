/** The filters of a quarantine: as typed, for the server, and in an address. */

import type { Outcome } from "../run/outcomes";
import { parseDuration, type Ticks } from "../time/ticks";

/** The filters; an empty text means no filter. Times are as in a date and time field, in UTC. */
export interface LateChoice {
  outcome: Outcome | "";
  reason: string;
  input: string;
  lane: string;
  text: string;
  since: string;
  until: string;
  /** The maximum lateness before the CTI, written as a duration. */
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

/** Return the filters for the server, without unset ones. */
export function lateQuery(choice: LateChoice): LateQuery {
  const { since, until, lateBy, ...texts } = choice;
  const entries = Object.entries(texts).filter(([, value]) => value.trim() !== "");
  const by = parseDuration(lateBy);
  const late_by = lateBy.trim() === "" || by === null || by < 0 ? undefined : by;
  const times = Object.entries({ since: tickOf(since), until: tickOf(until), late_by }).filter(
    ([, at]) => at !== undefined,
  );
  return Object.fromEntries([...entries, ...times]);
}

/** Return the filters for an address. */
export function lateParams(choice: LateChoice): URLSearchParams {
  return new URLSearchParams(Object.entries(lateQuery(choice)).map(([name, value]) => [name, String(value)]));
}
