import type { ResultShown } from "./api";

/** What is said of a row that may have another one after it, or is not whole; empty for a whole and final one. */
export function standing(row: ResultShown): string {
  const words = ofLater(row);
  if (!row.incomplete) return words;
  return words === "" ? "incomplete" : `${words}, incomplete`;
}

/** Why a row is not whole, for whoever asks what the mark means. */
export const INCOMPLETE_MEANS =
  "It may lack rows that its run has not read, or was cut short when all windows were closed at a stop.";

function ofLater({ deleted, edge, pane }: ResultShown): string {
  if (deleted) return "taken back";
  if (edge === "start") return "edge opens";
  if (edge === "end") return "edge ends";
  if (!pane) return "";
  const timing = pane.timing === "on_time" ? "on time" : pane.timing;
  return `${timing}, row ${pane.index + 1}${pane.is_last ? ", last" : ""}`;
}
