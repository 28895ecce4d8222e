/** The time range of a page: the last so many seconds, or fixed borders; moved and zoomed by keys, chosen by a brush. */

import type { Ticks } from "../time/ticks";

const SECOND: Ticks = 1_000_000;
const MINUTE: Ticks = 60 * SECOND;

/** The ranges until now, in seconds, as the server has them. */
export const RANGES = [
  [900, "15 min"],
  [3_600, "1 h"],
  [7_200, "2 h"],
  [86_400, "24 h"],
  [604_800, "7 d"],
  [2_592_000, "30 d"],
  [7_776_000, "90 d"],
] as const;

export type RangeSeconds = (typeof RANGES)[number][0];

export interface Span {
  begin: Ticks;
  end: Ticks;
}

/** `seconds` until now, or from `begin` to `end`. */
export type PageRange = { seconds: RangeSeconds } | Span;

const SHORTEST: Ticks = MINUTE;
const LONGEST: Ticks = 7_776_000 * SECOND;

function ticksIn(text: string | null): Ticks | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Return the range in an address; null without a valid one: the server chooses it. */
export function rangeOf(params: URLSearchParams): PageRange | null {
  const begin = ticksIn(params.get("begin"));
  const end = ticksIn(params.get("end"));
  if (begin !== null && end !== null && end > begin && end - begin <= LONGEST) return { begin, end };
  const found = RANGES.find(([seconds]) => String(seconds) === params.get("seconds"));
  return found === undefined ? null : { seconds: found[0] };
}

/** Return the range of figures that the server has chosen. */
export function rangeShown({ seconds, begin, end }: Span & { seconds: number | null }): PageRange {
  return seconds === null ? { begin, end } : { seconds: seconds as RangeSeconds };
}

/** Return the parameters of an address, and of requests, for a range. */
export function rangeParams(range: PageRange): Record<string, string> {
  if ("seconds" in range) return { seconds: String(range.seconds) };
  return { begin: String(range.begin), end: String(range.end) };
}

export function spanOf(range: PageRange, now: Ticks): Span {
  return "seconds" in range ? { begin: now - range.seconds * SECOND, end: now } : range;
}

/** Return whole minutes of at most the longest range that don't end after `now`. */
function fitted({ begin, end }: Span, now: Ticks): Span {
  const length = Math.min(LONGEST, Math.max(SHORTEST, Math.round((end - begin) / MINUTE) * MINUTE));
  const last = Math.ceil(now / MINUTE) * MINUTE;
  const from = Math.min(last - length, Math.round(begin / MINUTE) * MINUTE);
  return { begin: Math.max(0, from), end: Math.max(0, from) + length };
}

/** Return the range that a brush selected, in whole minutes. */
export function brushed(one: Ticks, other: Ticks, now: Ticks): Span {
  return fitted({ begin: Math.min(one, other), end: Math.max(one, other) }, now);
}

/** Return the range moved by half of its length; `by` is -1 or 1. */
export function shifted(range: PageRange, by: number, now: Ticks): PageRange {
  const { begin, end } = spanOf(range, now);
  if ("seconds" in range && by > 0) return range;
  const step = (by * (end - begin)) / 2;
  return fitted({ begin: begin + step, end: end + step }, now);
}

/** Return the range with half or twice its length; one until now keeps its end. */
export function zoomed(range: PageRange, factor: 0.5 | 2, now: Ticks): PageRange {
  if ("seconds" in range) {
    const index = RANGES.findIndex(([seconds]) => seconds === range.seconds);
    const next = RANGES[index + (factor > 1 ? 1 : -1)];
    return next === undefined ? range : { seconds: next[0] };
  }
  const { begin, end } = range;
  const half = ((end - begin) * factor) / 2;
  return fitted({ begin: (begin + end) / 2 - half, end: (begin + end) / 2 + half }, now);
}

/** Return the range of a brush around a page's range: 24 hours, or the first longer range that contains it. */
export function contextOf(range: PageRange, now: Ticks): RangeSeconds {
  const { begin } = spanOf(range, now);
  const length = "seconds" in range ? range.seconds * SECOND : 0;
  const found = RANGES.find(
    ([seconds]) => seconds >= 86_400 && seconds * SECOND >= now - begin && seconds * SECOND > length,
  );
  return found?.[0] ?? 7_776_000;
}

/** Return the time `by` steps away, inside the range; null starts in the middle of the last step. */
export function steppedFrom(at: Ticks | null, by: number, { begin, end, step }: Span & { step: Ticks }): Ticks {
  return Math.max(begin, Math.min(end - 1, (at ?? end - step / 2) + by * step));
}
