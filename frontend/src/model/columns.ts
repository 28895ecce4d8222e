/** Columns of a table of payloads that several outputs, or several versions of a query, made. */

import { decimalsOf, isNumeric } from "./values";

type Payload = Readonly<Record<string, unknown>>;

export interface Column {
  name: string;
  numeric: boolean;
  /** How many its numbers are shown with, so that decimal points align; 0 where others stand among them. */
  decimals: number;
}

/** The columns of all rows, in the order in which they come first. */
export function columnsOf(payloads: readonly Payload[]): Column[] {
  const names = [...new Set(payloads.flatMap((payload) => Object.keys(payload)))];
  return names.map((name) => {
    const values = payloads.map((payload) => payload[name]);
    const numeric = isNumeric(values);
    return { name, numeric, decimals: numeric ? decimalsOf(values) : 0 };
  });
}

/** Whether a row has the column at all: what has none is not null. */
export function hasColumn(payload: Payload, name: string): boolean {
  return Object.hasOwn(payload, name);
}
