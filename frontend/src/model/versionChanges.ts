/** Changes of a running binding to another version without a pause, in words. */

import type { VersionChangeShown } from "./api";
import { counted } from "./counts";

/** How often a change is looked at while it is under way. */
export const LOOKS_MS = 2_000;

/** Whether the new version catches up or takes over. */
export function isUnderWay(change: Pick<VersionChangeShown, "state"> | null): boolean {
  return change !== null && (change.state === "catching_up" || change.state === "taking_over");
}

/** `about 40 s`, `about 3 min`. */
function about(seconds: number): string {
  return seconds < 120 ? `about ${seconds} s` : `about ${Math.round(seconds / 60)} min`;
}

/** How far the new version is: how much it has to read, how long that takes, and what it holds. */
export function progressWords(change: Pick<VersionChangeShown, "behind" | "held" | "seconds_left">): string {
  const { behind, held, seconds_left } = change;
  if (behind === null || held === null) return "It is being started beside the run.";
  const holds = held === 0 ? "" : ` It holds ${counted(held, "row")} that only it has released so far.`;
  if (behind === 0) return `It has read all that the run has read.${holds}`;
  const time = seconds_left === null ? "" : `, ${about(seconds_left)} at the speed so far`;
  return `It has ${counted(behind, "row")} still to read${time}.${holds}`;
}

/** Where it took over: the smallest CTI of its outputs, in ticks; undefined where nothing had been given. */
export function takeoverCti({ ctis }: Pick<VersionChangeShown, "ctis">): number | undefined {
  const known = Object.values(ctis).filter((each) => each !== null);
  return known.length === 0 ? undefined : Math.min(...known);
}
