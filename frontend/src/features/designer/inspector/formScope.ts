/** The context shared by the inputs of one node, and the props of each input. */

import type { Fault, GraphNode } from "../../../model/api";
import type { NodeField as Described } from "../../../model/graph/edit/forms";

/** The context for the inputs of one node. */
export interface FormScope {
  node: GraphNode;
  readOnly: boolean;
  /** The incoming fields with their types. */
  incoming: Readonly<Record<string, string>>;
  /** Fields present on both sides. */
  shared: readonly string[];
  streams: readonly string[];
  /** The nodes that this one could read. */
  readable: readonly string[];
  faults: readonly Fault[];
}

export interface NodeFieldProps {
  scope: FormScope;
  field: Described;
  /** The path of the field within the node, as errors name it. */
  path: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Return the error of the field at `path`, as one sentence with its remedy. */
export function wrongAt({ faults }: FormScope, path: string): string | undefined {
  const found = faults.find((fault) => fault.field === path);
  return found === undefined ? undefined : `${found.message} ${found.remedy}`;
}
