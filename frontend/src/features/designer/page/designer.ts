/** State shared by the parts of the designer's page: one query, facts about it, and its changes. */

import { createContext, useContext } from "react";
import type { Fault, QueryGraph, QueryResponse } from "../../../model/api";
import type { Comments, Positions } from "../../../model/graph/edit/design";
import type { Schemas } from "../../../model/graph/schemas";
import type { DesignActions } from "../draft";

/** Storing, so that any part of the page can create a new version. */
export interface Storing {
  /** Store a text as a new version based on the draft's version. */
  store: (text: string, comment: string) => void;
  /** The result of the last save; empty before the first, and after a refusal. */
  message: string;
  error: unknown;
}

export interface Designer {
  /** The stored query; null for one that is not stored yet. */
  query: QueryResponse | null;
  /** Null if there is nothing to create a version of. */
  storing: Storing | null;
  /** True if the user's role may only read. */
  readOnly: boolean;
  /** The reason why the canvas can't be edited, with a remedy; null if the text does not prevent editing. */
  locked: string | null;
  /** The newest valid graph; null before the first. */
  graph: QueryGraph | null;
  /** The SQL of the current query, as it would be stored; null while unknown. */
  sql: string | null;
  /** True if `graph` matches the page, as far as known; otherwise it is the last valid one. */
  current: boolean;
  /** Null while unknown for the current state of the page. */
  faults: readonly Fault[] | null;
  /** The newest known errors. */
  known: readonly Fault[];
  /** By node, from the newest answered check. */
  schemas: Schemas;
  /** By node; they are part of the SQL. */
  comments: Comments;
  /** Positions set by hand. */
  positions: Positions;
  /** All changes to the query; each is an undo step. */
  act: DesignActions;
  /** The ids of the nodes selected on the canvas and in the outline. */
  selected: readonly string[];
  select: (ids: readonly string[]) => void;
  /** The guide page of the SQL word at the caret; null if no page explains it. */
  wordPage: string | null;
  /** Replace the whole query by a text, in one undo step. */
  replaceText: (text: string) => void;
  /** Replace the whole query by a graph, written into the text with its comments, in one undo step. */
  replaceGraph: (graph: QueryGraph) => void;
}

export const DesignerContext = createContext<Designer | null>(null);

/** Return the query of this page. Only for children of `GraphEditor`. */
export function useDesigner(): Designer {
  const designer = useContext(DesignerContext);
  if (designer === null) throw new Error("useDesigner works only on the designer's page");
  return designer;
}
