/** Times in a sample's rows: parsed in any notation, and written back in the same one. */

import { parseDuration, type Ticks, ticksOf } from "../../time/ticks";

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?$/;
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,6})?)?$/;
const DAY: Ticks = 86_400_000_000;

function fractionTicks(digits: string | undefined): Ticks {
  return digits === undefined ? 0 : Number(digits.slice(1).padEnd(6, "0"));
}

const whole = (at: number): Ticks | null => (Number.isSafeInteger(at) ? at : null);

function zoneOf(written: string | undefined): string {
  if (written === undefined) return "Z";
  return written.length === 5 ? `${written.slice(0, 3)}:${written.slice(3)}` : written;
}

function readText(text: string): Ticks | null {
  if (/^[+-]?\d+$/.test(text)) return whole(Number(text));
  const iso = ISO.exec(text);
  if (iso === null) return null;
  const clock = (iso[2] ?? "00:00:00").padEnd(8, ":00");
  const at = ticksOf(`${iso[1]}T${clock}${zoneOf(iso[4])}`);
  return Number.isNaN(at) ? null : at + fractionTicks(iso[3]);
}

/** Return ticks from a whole number of ticks or ISO text (UTC without a zone); null for anything else. */
export function readTime(written: unknown): Ticks | null {
  if (typeof written === "number") return whole(written);
  return typeof written === "string" ? readText(written.trim()) : null;
}

/** Return ISO text in UTC, with no more digits than needed. */
export function isoTime(at: Ticks): string {
  const rest = ((at % 1_000) + 1_000) % 1_000;
  const text = new Date((at - rest) / 1_000).toJSON();
  const fraction = `${text.slice(20, 23)}${String(rest).padStart(3, "0")}`.replace(/0+$/, "");
  return `${text.slice(0, 19)}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Write `at` in the notation of `before`: a number stays a number, text stays text. */
export function writtenLike(before: unknown, at: Ticks): number | string {
  return typeof before === "string" && !/^[+-]?\d+$/.test(before.trim()) ? isoTime(at) : at;
}

/** Parse input of a time field: an instant, a time of day on the date of `near`, or an offset such as `+5s` from `near`. */
export function typedTime(text: string, near: Ticks): Ticks | null {
  const trimmed = text.trim();
  const clock = CLOCK.exec(trimmed);
  if (clock !== null) {
    const [hours, minutes, seconds] = [Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0)];
    if (hours > 23 || minutes > 59 || seconds > 59) return null;
    const day = Math.floor(near / DAY) * DAY;
    return day + ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fractionTicks(clock[4]);
  }
  if (/^[+-]/.test(trimmed)) {
    const by = parseDuration(trimmed);
    if (by !== null) return near + by;
  }
  return readTime(trimmed);
}
