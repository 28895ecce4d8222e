/** Application time: a tick is one microsecond since 1970-01-01T00:00Z. Exact for whole numbers up to 2^53 (T1). */

export type Ticks = number;

const SECOND = 1_000_000;
const UNITS: readonly (readonly [string, Ticks])[] = [
  ["d", 86_400 * SECOND],
  ["h", 3_600 * SECOND],
  ["m", 60 * SECOND],
  ["s", SECOND],
  ["ms", 1_000],
  ["us", 1],
];

/** Units whose readable form differs from the notation in definitions. */
const SPOKEN: Record<string, string> = { us: "µs", m: "min" };

/** Floor division without loss of digits; `ticks` may be negative. */
function split(ticks: Ticks, by: number): { whole: number; rest: number } {
  const rest = ((ticks % by) + by) % by;
  return { whole: (ticks - rest) / by, rest };
}

const two = (value: number) => String(value).padStart(2, "0");

function yearText(year: number): string {
  return String(year).padStart(4, "0");
}

export interface InstantParts {
  date: string;
  time: string;
}

/** Return the UTC date and the time of day, with as many digits of the second as needed (none, three or six). */
export function instantParts(ticks: Ticks): InstantParts {
  const { whole: milliseconds, rest: microseconds } = split(ticks, 1_000);
  const at = new Date(milliseconds);
  const date = `${yearText(at.getUTCFullYear())}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
  const clock = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
  const fraction = at.getUTCMilliseconds() * 1_000 + microseconds;
  if (fraction === 0) return { date, time: clock };
  const digits = String(fraction).padStart(6, "0");
  return { date, time: `${clock}.${microseconds === 0 ? digits.slice(0, 3) : digits}` };
}

/** Return `2026-11-21 10:06:19.25Z`; null is infinity, for an end or the CTI of an ended input. */
export function formatInstant(ticks: Ticks | null): string {
  if (ticks === null) return "infinity";
  const { date, time } = instantParts(ticks);
  return `${date} ${time}Z`;
}

/** Return only the time of day, `10:06:19Z`, to the second: for an axis or a sentence about now. */
export function formatClock(ticks: Ticks): string {
  return `${instantParts(split(ticks, SECOND).whole * SECOND).time}Z`;
}

/** Return the same moment in the reader's time zone, for a tooltip. */
export function formatLocal(ticks: Ticks): string {
  const at = new Date(split(ticks, 1_000).whole);
  const date = `${yearText(at.getFullYear())}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const ahead = -at.getTimezoneOffset();
  const zone = `${ahead < 0 ? "-" : "+"}${two(Math.floor(Math.abs(ahead) / 60))}:${two(Math.abs(ahead) % 60)}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${zone}`;
}

function trimmed(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

/** Return a rounded duration, in its largest unit with three digits: `1.5 s`, `2 h`, `-40 ms`, `0 s`. */
export function formatSpan(ticks: Ticks): string {
  const magnitude = Math.abs(ticks);
  for (const [unit, size] of UNITS) {
    if (magnitude >= size) return `${trimmed(ticks / size)} ${SPOKEN[unit] ?? unit}`;
  }
  return "0 s";
}

/** Return the tick of a wall-clock time. */
export function ticksOf(at: Date | string): Ticks {
  return new Date(at).getTime() * 1_000;
}

/** Return milliseconds since the epoch for charts, rounded down. */
export function toMilliseconds(ticks: Ticks): number {
  return split(ticks, 1_000).whole;
}

const DURATION = /^([+-]?)(\d+)\s*(us|ms|s|m|h|d|ticks?)$/;
const ISO_DURATION = /^([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?$/;

/** Parse a duration in the notation of definitions (`10s`, `-1tick`, `PT5M`, a count of ticks); null if invalid. */
export function parseDuration(value: number | string): Ticks | null {
  if (typeof value === "number") return Number.isInteger(value) ? value : null;
  const text = value.trim();
  const plain = DURATION.exec(text);
  if (plain) {
    const unit = UNITS.find(([name]) => name === plain[3]);
    return Number(`${plain[1]}${plain[2]}`) * (unit ? unit[1] : 1);
  }
  const iso = ISO_DURATION.exec(text);
  if (!iso?.slice(2, 7).some((part) => part !== undefined)) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = iso.slice(2, 7).map((part) => Number(part ?? 0));
  const whole = ((weeks * 7 + days) * 24 + hours) * 3_600 + minutes * 60 + seconds;
  const total = whole * SECOND + Number((iso[7] ?? "0").padEnd(6, "0"));
  return iso[1] === "-" ? -total : total;
}
