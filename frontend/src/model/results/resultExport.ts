/** Results as a file: the choices of a person. */

import type { QueryGraph } from "../api";

export type ExportFormat = "csv" | "xlsx" | "parquet" | "arrow" | "json_lines";
export type Revisions = "net" | "all";

/** The choices; an empty time means no limit, an empty output the only one. */
export interface ExportChoice {
  format: ExportFormat;
  output: string;
  from: string;
  to: string;
  revisions: Revisions;
  runs: "own" | "all";
}

/** Return the choices for the address of the file, without empty ones. */
export function exportParams(choice: ExportChoice): URLSearchParams {
  const entries = Object.entries(choice).map(([name, value]) => [name, value.trim()] as [string, string]);
  return new URLSearchParams(entries.filter(([, value]) => value !== ""));
}

/** Return the names of the outputs of a query. */
export function outputsOf(graph: QueryGraph | undefined): string[] {
  return graph?.nodes.filter((node) => node.kind === "output").map(({ id }) => id) ?? [];
}

/** The state of a download: `total` is null until the server has prepared the file. */
export interface DownloadProgress {
  received: number;
  total: number | null;
}

/** Return the file name in a Content-Disposition header. */
export function fileName(disposition: string | null): string {
  return /filename="([^"]+)"/.exec(disposition ?? "")?.[1] ?? "results";
}
