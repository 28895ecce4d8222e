/** Statistics, rounded for reading. Payload values are formatted only by `model/text/values.ts`. */

const COUNT = new Intl.NumberFormat("en-GB");
const COMPACT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

export { counted, formatCount } from "../model/text/counts";

/** `1.2M`, for an axis. */
export function formatCompact(value: number): string {
  return COMPACT.format(value);
}

/** Three digits: `1,240`, `12.4`, `0.35`. */
export function formatRate(value: number): string {
  if (value >= 100 || value === 0) return COUNT.format(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** A share of a whole: `3.2 %`; below 0.1 % `<0.1 %`, and `0 %` only for zero. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const share = (100 * part) / whole;
  if (share < 0.1) return "<0.1 %";
  if (share > 99.9 && part < whole) return ">99.9 %";
  return `${Number(share.toFixed(1))} %`;
}

/** The share of all but a part; both add up to 100 %. */
export function formatRest(part: number, whole: number): string {
  if (whole === 0 || part === whole) return "0 %";
  if (part === 0) return "100 %";
  const share = (100 * part) / whole;
  if (share < 0.1) return ">99.9 %";
  if (share > 99.9) return "<0.1 %";
  return `${Number((100 - Number(share.toFixed(1))).toFixed(1))} %`;
}

/** Two digits: `0.42 s`. */
export function formatSeconds(seconds: number): string {
  return `${Number(seconds.toPrecision(2))} s`;
}
