/** Counts and rates as people read them. */

const COUNT = new Intl.NumberFormat("en-GB");
const COMPACT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

export { counted, formatCount } from "../model/counts";

/** `1.2M`, for an axis. */
export function formatCompact(value: number): string {
  return COMPACT.format(value);
}

/** Three digits: `1,240`, `12.4`, `0.35`. */
export function formatRate(value: number): string {
  if (value >= 100 || value === 0) return COUNT.format(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** A share of a whole: `3.2 %`; below a tenth of a per cent `<0.1 %`, and `0 %` only for none. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const share = (100 * part) / whole;
  if (share < 0.1) return "<0.1 %";
  if (share > 99.9 && part < whole) return ">99.9 %";
  return `${Number(share.toFixed(1))} %`;
}
