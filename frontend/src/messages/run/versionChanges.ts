/** Changes of an active binding to another version without a pause, in words. */

import type { VersionChangeResponse } from "../../model/api";
import { counted } from "../../model/text/counts";

/** Return true while the new version catches up or takes over. */
export function isUnderWay(change: Pick<VersionChangeResponse, "state"> | null): boolean {
  return change !== null && (change.state === "catching_up" || change.state === "taking_over");
}

/** `about 40 s`, `about 3 min`. */
function about(seconds: number): string {
  return seconds < 120 ? `about ${seconds} s` : `about ${Math.round(seconds / 60)} min`;
}

/** Return the new version's progress: the rows left to read, the remaining time, and its withheld results. */
export function progressWords(change: Pick<VersionChangeResponse, "behind" | "held" | "seconds_left">): string {
  const { behind, held, seconds_left } = change;
  if (behind === null || held === null) return "It is being started next to the current run.";
  const holds = held === 0 ? "" : ` It has ${counted(held, "row")} that the current run has not emitted yet.`;
  if (behind === 0) return `It has read everything that the current run has read.${holds}`;
  const time = seconds_left === null ? "" : `, ${about(seconds_left)} at the current speed`;
  return `It has ${counted(behind, "row")} left to read${time}.${holds}`;
}

/** Return the CTI of the takeover: the smallest of its outputs, in ticks; undefined without results before it. */
export function takeoverCti({ ctis }: Pick<VersionChangeResponse, "ctis">): number | undefined {
  const known = Object.values(ctis).filter((each) => each !== null);
  return known.length === 0 ? undefined : Math.min(...known);
}
