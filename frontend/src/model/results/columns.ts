/** Columns of a table of payloads from several outputs, or from several versions of a query. */

import { decimalsOf, isNumeric } from "../text/values";

type Payload = Readonly<Record<string, unknown>>;

export interface Column {
  name: string;
  numeric: boolean;
  /** The number of decimals for its numbers, so that decimal points align; 0 for mixed columns. */
  decimals: number;
}

/** Return the columns of all rows, in order of first appearance. */
export function columnsOf(payloads: readonly Payload[]): Column[] {
  const names = [...new Set(payloads.flatMap((payload) => Object.keys(payload)))];
  return names.map((name) => {
    const values = payloads.map((payload) => payload[name]);
    const numeric = isNumeric(values);
    return { name, numeric, decimals: numeric ? decimalsOf(values) : 0 };
  });
}

/** Return true if a row has the column at all; a missing column is not null. */
export function hasColumn(payload: Payload, name: string): boolean {
  return Object.hasOwn(payload, name);
}
