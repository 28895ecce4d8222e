import { shortText, valueText } from "../model/values";

/** A payload value in a table; every digit on hover where some are left out. */
export function Value({ value }: { value: unknown }) {
  const short = shortText(value);
  const whole = valueText(value);
  if (value === null || value === undefined) return <span className="quiet">null</span>;
  return short === whole ? short : <span title={whole}>{short}</span>;
}
