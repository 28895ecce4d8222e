/** The JSON text of a query, as far as it can be read. */

import { SQL_NAMES_IN_BACKTICKS, WINDOW_WORDS } from "../generated/sqlWords";
import type { GraphNode, QueryGraph } from "./api";

export { SQL_KEYWORDS } from "../generated/sqlWords";

export interface GraphText {
  /** What the text says, of whatever shape; null when it is no JSON. */
  value: unknown;
  /** The graph when it has the shape that can be drawn, whatever its faults; else null. */
  graph: QueryGraph | null;
  /** Why the text is no JSON. */
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

/** What must be there for a node of each kind to be put into words. */
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
  union: { inputs: isTexts },
  join: { left: isText, right: isText },
  anti_join: { left: isText, right: isText },
  semi_join: { left: isText, right: isText },
  asof_join: { left: isText, right: isText },
  window: { input: isText, window: isWindow, aggregates: isRecords },
  top_k: { input: isText, window: isWindow },
  output: { input: isText },
};

/** Enough of a node to draw it; its faults are the server's to find. */
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
    return { value: null, graph: null, problem: error instanceof Error ? error.message : "This is not JSON." };
  }
  const drawable = isRecord(value) && isText(value.name) && Array.isArray(value.nodes) && value.nodes.every(isDrawable);
  return { value, graph: drawable ? (value as unknown as QueryGraph) : null, problem: null };
}

export function graphText(graph: QueryGraph): string {
  return JSON.stringify(graph, null, 2);
}

/** A query that counts the events of a stream by minute: a beginning to edit. */
export function startingText(stream: string, query = "events_per_minute"): string {
  const name = SQL_NAMES_IN_BACKTICKS.includes(stream.toLowerCase()) ? `\`${stream}\`` : stream;
  return `QUERY ${query};

-- How many events each minute has
INSERT INTO results
SELECT STREAM COUNT(*) AS events
FROM ${name}
WINDOW BY TUMBLE 1m;
`;
}

/** `text` with another name of its query, where it says one in the usual way; else as it is, for the writer to mend. */
export function renamedText(text: string, from: string, to: string): string {
  const said = new RegExp(`^(\\s*QUERY\\s+)\`?${from}\`?(?=\\s*;)`, "im");
  return text.replace(said, `$1${to}`);
}
