import type { ResultShown } from "./api";

/** What is said of a row that may have another one after it, or is not whole; empty for a whole and final one. */
export function standing(row: ResultShown): string {
  const words = ofLater(row);
  if (!row.incomplete) return words;
  const mark = row.incomplete_columns ? `incomplete: ${row.incomplete_columns.join(", ")}` : "incomplete";
  return words === "" ? mark : `${words}, ${mark}`;
}

/** Whether a column of a row lacks what came before it was there. */
export function lacks(row: ResultShown, column: string): boolean {
  return row.incomplete_columns?.includes(column) ?? false;
}

/** Why a row is not whole, for whoever asks what the mark means. */
export const INCOMPLETE_MEANS =
  "It may lack rows that its run has not read, or was cut short when all windows were closed at a stop.";

/** Why a row is whole but for some columns. */
export const COLUMNS_MEAN =
  "The version of this run has columns that the one before had not. In windows that were open then, these lack the rows that came before; all other columns are whole.";

/** What the mark of a row means; nothing where it has none. */
export function incompleteWords(row: ResultShown): string | undefined {
  if (!row.incomplete) return undefined;
  return row.incomplete_columns ? COLUMNS_MEAN : INCOMPLETE_MEANS;
}

/** What holds for the rows that are listed, in one or two sentences; `older` ones, which are not, may be otherwise. */
export function standingNote(rows: readonly ResultShown[], older: boolean): string {
  if (rows.length === 0) return "";
  const words = [];
  if (rows.some((row) => row.incomplete && !row.incomplete_columns))
    words.push(`Rows that are marked are incomplete. ${INCOMPLETE_MEANS}`);
  if (rows.some((row) => row.incomplete_columns)) words.push(`Some are incomplete in some columns. ${COLUMNS_MEAN}`);
  if (rows.some((row) => row.key))
    words.push("A later row of the same edge or pane takes the place of the one before.");
  if (rows.some((row) => row.repaired))
    words.push("Rows that are marked were repaired: what was taken back stands no more, and what corrects it does.");
  if (words.length > 0) return words.join(" ");
  return older ? "Each that is listed here is final." : "Each is final.";
}

function ofLater({ deleted, edge, pane }: ResultShown): string {
  if (deleted) return "taken back";
  if (edge === "start") return "edge opens";
  if (edge === "end") return "edge ends";
  if (!pane) return "";
  const timing = pane.timing === "on_time" ? "on time" : pane.timing;
  return `${timing}, row ${pane.index + 1}${pane.is_last ? ", last" : ""}`;
}
