import { shortText, spaceBehind, valueText } from "../model/values";
import { RawText } from "./RawText";

/** A payload value in a table; every digit on hover where some are left out. `decimals` are those of its column. */
export function Value({ value, decimals = 0 }: { value: unknown; decimals?: number }) {
  const short = shortText(value);
  const whole = valueText(value);
  if (value === null || value === undefined) return <span className="quiet">null</span>;
  if (typeof value === "string") return <RawText text={value} />;
  const space = spaceBehind(value, decimals);
  return (
    <>
      {short === whole ? short : <span title={whole}>{short}</span>}
      {space === "" ? null : <span aria-hidden="true">{space}</span>}
    </>
  );
}
