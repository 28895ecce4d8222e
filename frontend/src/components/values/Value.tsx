import { spaceBehind, valueText } from "../../model/text/values";
import { RawText } from "./RawText";

/** A payload value in a table, with all digits. `decimals` are those of its column. */
export function Value({ value, decimals = 0 }: { value: unknown; decimals?: number }) {
  if (value === null || value === undefined) return <span className="quiet">null</span>;
  if (typeof value === "string") return <RawText text={value} />;
  const space = spaceBehind(value, decimals);
  return (
    <>
      {valueText(value)}
      {space === "" ? null : <span aria-hidden="true">{space}</span>}
    </>
  );
}
