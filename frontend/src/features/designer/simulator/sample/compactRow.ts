import type { SampleTaken } from "../../../../model/api";
import type { SampleRow } from "../../../../model/simulation/sample/sample";

/** Return a row without its empty fields. */
export function rowOf(row: SampleTaken["rows"][number]): SampleRow {
  const present = Object.entries(row).filter(
    ([name, value]) => value !== undefined && !(value === null && name !== "cti" && name !== "end"),
  );
  return Object.fromEntries(present) as unknown as SampleRow;
}
