/** Usage of quotas, in words. */

import type { UsageResponse } from "../../model/api";
import type { Tone } from "../../model/run/states";
import { counted, formatCount } from "../../model/text/counts";

const SIZES = ["B", "KB", "MB", "GB", "TB"] as const;

/** `9.5 GB`; 1 KB is 1,024 bytes, as everywhere in Punctual. */
export function bytesWords(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1_024 && unit < SIZES.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  const digits = unit === 0 ? 0 : 1;
  return `${formatCount(Number(size.toFixed(digits)))} ${SIZES[unit]}`;
}

const SPANS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** Return `1 h 5 min`: the two largest units. */
export function secondsWords(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole === 0) return "0 s";
  const from = SPANS.findIndex(([length]) => whole >= length);
  let rest = whole;
  const parts = SPANS.slice(from, from + 2).map(([length, unit]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? "" : `${count} ${unit}`;
  });
  return parts.filter(Boolean).join(" ");
}

function amount(value: number, unit: string): string {
  if (unit === "bytes") return bytesWords(value);
  if (unit === "s") return secondsWords(value);
  return formatCount(value);
}

const ONE: Readonly<Record<string, string>> = { people: "person", runs: "run" };

/** `7 of 10 runs`, `9.5 GB of 10 GB`, `2 min of 10 min`. */
export function usageWords({ used, limit, unit }: Pick<UsageResponse, "used" | "limit" | "unit">): string {
  const isCount = unit !== "bytes" && unit !== "s";
  return `${amount(used, unit)} of ${isCount ? counted(limit, ONE[unit] ?? unit, unit) : amount(limit, unit)}`;
}

/** Return the used share, 0 to 1; 1 if nothing is allowed. */
export function shareUsed({ used, limit }: Pick<UsageResponse, "used" | "limit">): number {
  return limit <= 0 ? 1 : Math.min(1, used / limit);
}

const NEARLY = 0.8;

/** Return a warning for a nearly full quota; empty while there is room. */
export function fullness(usage: Pick<UsageResponse, "used" | "limit">): { tone: Tone; word: string } {
  const share = shareUsed(usage);
  if (share >= 1) return { tone: "bad", word: "full" };
  return share >= NEARLY ? { tone: "unknown", word: "nearly full" } : { tone: "good", word: "" };
}

const DAY_S = 86_400;

/** Return the seconds until midnight UTC, when the daily preview time resets. */
export function secondsToMidnight(nowTicks: number): number {
  return DAY_S - (Math.floor(nowTicks / 1_000_000) % DAY_S);
}
