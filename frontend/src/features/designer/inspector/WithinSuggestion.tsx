/** The bound that a sequence without WITHIN lacks, and whether its steps have its conditions. */

import type { SequenceNode } from "../../../messages/definition/summary";
import { stepsOf, variablesOf } from "../../../model/graph/sequences/steps";
import { useDesigner } from "../page/designer";
import type { FormScope } from "./formScope";

const SUGGESTED = "1h";

/** The bound that a sequence without WITHIN lacks, as a button next to the warning. */
export function WithinSuggestion({ node, scope }: { node: SequenceNode; scope: FormScope }) {
  const { act } = useDesigner();
  const warning = scope.faults.find(({ code, field }) => code === "unbounded_state" && field === "within");
  if (warning === undefined || scope.readOnly) return null;
  return (
    <p className="small">
      {warning.message}{" "}
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
  const names = variablesOf(stepsOf(node.pattern).steps ?? []);
  return (node.define ?? []).every(({ name }) => names.includes(name));
}
