/** What the parts of the designer's page share: one query, what is known of it, and how it is changed. */

import { createContext, useContext } from "react";
import type { Fault, QueryGraph, QueryShown } from "../../../model/api";
import type { Comments, Positions } from "../../../model/graphEdit/design";
import type { DesignActions } from "../draft";

/** The fields with their types that leave each node whose inputs are sound. */
export type Schemas = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A stored query may get a new version from any part of its page. */
export interface Storing {
  /** Stores a text as a new version upon the draft's. */
  store: (text: string, comment: string) => void;
  /** What came of the last storing; empty before one, and where it was refused. */
  said: string;
  error: unknown;
}

export interface Designer {
  /** The stored query; null for one that is not stored yet. */
  query: QueryShown | null;
  /** Null where there is nothing that could get a version. */
  storing: Storing | null;
  /** Whether my role may only look. */
  readOnly: boolean;
  /** Why the canvas cannot be edited now, and what is to be done; null if it can, as far as the text goes. */
  locked: string | null;
  /** The newest graph that could be read; null before there was any. */
  graph: QueryGraph | null;
  /** The SQL that says the query as it stands, as it would be stored; null while it is not known. */
  sql: string | null;
  /** Whether `graph` is what the page says now, as far as is known; else it is the last one that could be read. */
  current: boolean;
  /** Null while they are not known for what the page says now. */
  faults: readonly Fault[] | null;
  /** The newest faults that are known. */
  known: readonly Fault[];
  /** By node; of the newest check that was answered. */
  schemas: Schemas;
  /** By node; they stand in the SQL. */
  comments: Comments;
  /** Where nodes were put by hand. */
  positions: Positions;
  /** All changes of the query. Each is a step of undo. */
  act: DesignActions;
  /** The ids of the nodes that are selected on the canvas and in the outline. */
  selected: readonly string[];
  select: (ids: readonly string[]) => void;
  /** The guide's page for the word of SQL at the caret; null where it stands at none. */
  wordPage: string | null;
  /** Replace the whole query by what a text says: one step of undo. */
  replaceText: (text: string) => void;
  /** Replace the whole query by a graph, which is written into the text with its comments: one step of undo. */
  replaceGraph: (graph: QueryGraph) => void;
}

export const DesignerContext = createContext<Designer | null>(null);

/** The query of this page. Only below `GraphEditor`. */
export function useDesigner(): Designer {
  const designer = useContext(DesignerContext);
  if (designer === null) throw new Error("useDesigner is for parts of the designer's page");
  return designer;
}
