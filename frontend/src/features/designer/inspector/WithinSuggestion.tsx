/** The bound that a sequence without WITHIN lacks, and whether its steps have its conditions. */

import type { SequenceNode } from "../../../messages/definition/summary";
import { stepsOf } from "../../../model/graph/sequences/steps";
import { useDesigner } from "../page/designer";

const SUGGESTED = "1h";

/** The bound that a sequence without WITHIN lacks. */
export function WithinSuggestion({ node, readOnly }: { node: SequenceNode; readOnly: boolean }) {
  const { act } = useDesigner();
  if (node.within != null || readOnly) return null;
  return (
    <p className="small">
      Without WITHIN, an attempt may wait for any length of time, and its rows are kept until then.{" "}
      <button
        type="button"
        className="link"
        onClick={() => act.edit({ do: "set", id: node.id, fields: { within: SUGGESTED } })}
      >
        Add WITHIN {SUGGESTED}
      </button>
    </p>
  );
}

/** Return whether the steps have every condition of the sequence, so that no list of them is needed. */
export function stepsHaveConditions(node: SequenceNode): boolean {
  const names = new Set(stepsOf(node.pattern)?.map(({ variable }) => variable));
  return (node.define ?? []).every(({ name }) => names.has(name));
}
