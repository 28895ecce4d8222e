import type { ResultShown } from "./api";

/** What is said of a row that may have another one after it; empty for a final one. */
export function standing({ deleted, edge, pane }: ResultShown): string {
  if (deleted) return "taken back";
  if (edge === "start") return "edge opens";
  if (edge === "end") return "edge ends";
  if (!pane) return "";
  const timing = pane.timing === "on_time" ? "on time" : pane.timing;
  return `${timing}, row ${pane.index + 1}${pane.is_last ? ", last" : ""}`;
}
