import type { SampleTaken } from "../../../model/api";
import type { SampleRow } from "../../../model/simulation/sample";

/** Only what a row says: fields without a value are as if they were not there. */
export function rowOf(row: SampleTaken["rows"][number]): SampleRow {
  const said = Object.entries(row).filter(
    ([name, value]) => value !== undefined && !(value === null && name !== "cti" && name !== "end"),
  );
  return Object.fromEntries(said) as unknown as SampleRow;
}
