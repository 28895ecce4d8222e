/** The JSON text of a query, as far as it can be parsed. */

import { SQL_NAMES_IN_BACKTICKS, WINDOW_WORDS } from "../../generated/sqlWords";
import type { GraphNode, QueryGraph } from "../api";

export { SQL_KEYWORDS } from "../../generated/sqlWords";

export interface GraphText {
  /** The parsed text, of any shape; null for invalid JSON. */
  value: unknown;
  /** The graph if its shape can be drawn, whatever its errors; else null. */
  graph: QueryGraph | null;
  /** Why the text is not valid JSON. */
  problem: string | null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isText = (value: unknown): value is string => typeof value === "string";

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isRecords = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

const isWindow = (value: unknown): boolean =>
  isRecord(value) && isText(value.kind) && Object.hasOwn(WINDOW_WORDS, value.kind);

type Look = (value: unknown) => boolean;

/** The minimum for describing a node of each kind in words. */
const LOOKS: Record<GraphNode["kind"], Record<string, Look>> = {
  input: { stream: isText },
  filter: { input: isText, where: isText },
  project: { input: isText, columns: isRecords },
  shift: { input: isText },
  set_duration: { input: isText },
  extend: { input: isText },
  clip: { input: isText, by: isText },
  point_at_end: { input: isText },
  to_intervals: { input: isText },
  order_edges: { input: isText },
  chop: { input: isText },
  stitch: { input: isText },
  union: { inputs: isTexts },
  join: { left: isText, right: isText },
  anti_join: { left: isText, right: isText },
  semi_join: { left: isText, right: isText },
  asof_join: { left: isText, right: isText },
  window: { input: isText, window: isWindow, aggregates: isRecords },
  top_k: { input: isText, window: isWindow },
  match_recognize: { input: isText, pattern: isText },
  analytic: { input: isText, columns: isRecords },
  output: { input: isText },
};

/** Return true if a node can be drawn; the server finds its errors. */
function isDrawable(node: unknown): node is GraphNode {
  if (!isRecord(node) || !isText(node.id) || !isText(node.kind) || !Object.hasOwn(LOOKS, node.kind)) return false;
  const looks = Object.entries(LOOKS[node.kind as GraphNode["kind"]]);
  const lists = [node.keys, node.group_by].every((list) => list === undefined || isTexts(list));
  return lists && looks.every(([name, look]) => look(node[name]));
}

export function readGraphText(text: string): GraphText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { value: null, graph: null, problem: error instanceof Error ? error.message : "Invalid JSON." };
  }
  const drawable = isRecord(value) && isText(value.name) && Array.isArray(value.nodes) && value.nodes.every(isDrawable);
  return { value, graph: drawable ? (value as unknown as QueryGraph) : null, problem: null };
}

export function graphText(graph: QueryGraph): string {
  return JSON.stringify(graph, null, 2);
}

/** Return a query that counts the events of a stream by minute, as a starting point. */
export function startingText(stream: string, query = "events_per_minute"): string {
  const name = SQL_NAMES_IN_BACKTICKS.includes(stream.toLowerCase()) ? `\`${stream}\`` : stream;
  return `QUERY ${query};

-- Number of events per minute
INSERT INTO results
SELECT STREAM COUNT(*) AS events
FROM ${name}
WINDOW BY TUMBLE 1m;
`;
}

/** Return `text` with another query name, if the name is in the usual place; else unchanged, for the author to fix. */
export function renamedText(text: string, from: string, to: string): string {
  const pattern = new RegExp(`^(\\s*QUERY\\s+)\`?${from}\`?(?=\\s*;)`, "im");
  return text.replace(pattern, `$1${to}`);
}
