import type { ResultResponse } from "../../model/api";

/** Return the mark of a row that may be replaced or is incomplete; empty for a complete, final one. */
export function rowMark(row: ResultResponse): string {
  const words = kindMark(row);
  if (!row.incomplete) return words;
  const mark = row.incomplete_columns ? `incomplete: ${row.incomplete_columns.join(", ")}` : "incomplete";
  return words === "" ? mark : `${words}, ${mark}`;
}

/** Return true if a column of a row lacks rows from before the column existed. */
export function isIncompleteColumn(row: ResultResponse, column: string): boolean {
  return row.incomplete_columns?.includes(column) ?? false;
}

/** Explains the mark of an incomplete row. */
export const INCOMPLETE_MEANS = "It may lack rows that its run has not read, or its window was closed early by a stop.";

/** Explains a row that is incomplete only in some columns. */
export const COLUMNS_MEAN =
  "The version of this run has new columns. For windows that were already open, these lack the earlier rows; all other columns are complete.";

/** Return the explanation of a row's mark; undefined without one. */
export function incompleteWords(row: ResultResponse): string | undefined {
  if (!row.incomplete) return undefined;
  return row.incomplete_columns ? COLUMNS_MEAN : INCOMPLETE_MEANS;
}

/** Return one or two sentences about the listed rows; with `older`, unlisted rows may differ. */
export function rowsNote(rows: readonly ResultResponse[], older: boolean): string {
  if (rows.length === 0) return "";
  const words = [];
  if (rows.some((row) => row.incomplete && !row.incomplete_columns))
    words.push(`Marked rows are incomplete. ${INCOMPLETE_MEANS}`);
  if (rows.some((row) => row.incomplete_columns))
    words.push(`Some rows are incomplete in some columns. ${COLUMNS_MEAN}`);
  if (rows.some((row) => row.key)) words.push("A later row of the same edge or pane replaces the previous one.");
  if (rows.some((row) => row.repaired))
    words.push("Rows marked as repaired: retracted rows no longer count; the rows that correct them do.");
  if (words.length > 0) return words.join(" ");
  return older ? "All listed rows are final." : "All rows are final.";
}

function kindMark({ deleted, edge, pane }: ResultResponse): string {
  if (deleted) return "retracted";
  if (edge === "start") return "edge opens";
  if (edge === "end") return "edge ends";
  if (!pane) return "";
  const timing = pane.timing === "on_time" ? "on time" : pane.timing;
  return `${timing}, row ${pane.index + 1}${pane.is_last ? ", last" : ""}`;
}
