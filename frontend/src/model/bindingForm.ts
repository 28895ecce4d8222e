/** What is typed in the form of a binding, and the binding that it says. */

import type { BindingChange, BindingShown, VersionShown } from "./api";

export interface BindingTyped {
  name: string;
  query: string;
  version: string;
  dedicated: boolean;
  /** At most how long between two batches; empty: as long as the product says. */
  freshness: string;
  /** By input node: the id of its stream (empty: the one that the query names), and settings of its own as JSON. */
  inputs: Readonly<Record<string, { stream: string; advance: string }>>;
  /** The revision on which it was begun, and what that said. */
  upon: string;
  begun: string;
}

type Inputs = NonNullable<BindingChange["inputs"]>;

export function bindingText(binding: BindingShown): string {
  const { name, query_name: query, query_version_number: version, dedicated, freshness } = binding;
  const inputs = binding.inputs.map(({ node, stream_name, advance, event_time }) => ({
    node,
    stream_name,
    advance,
    event_time,
  }));
  return JSON.stringify({ name, query, version, dedicated, freshness, inputs }, null, 2);
}

export function typedBinding(binding: BindingShown): BindingTyped {
  const inputs = binding.inputs.map(({ node, stream, advance }) => {
    const said = advance === null ? "" : JSON.stringify(advance);
    return [node, { stream, advance: said }] as const;
  });
  return {
    name: binding.name,
    query: binding.query,
    version: binding.query_version,
    dedicated: binding.dedicated,
    freshness: binding.freshness ?? "",
    inputs: Object.fromEntries(inputs),
    upon: binding.revision,
    begun: bindingText(binding),
  };
}

/** What was typed, moved to another query: its inputs are others, and read what that query names. */
export function movedTo(typed: BindingTyped, to: { id: string; version: string }, stored: BindingShown): BindingTyped {
  if (to.id === typed.query) return typed;
  const begun = typedBinding(stored);
  const { version, inputs } = to.id === stored.query ? begun : { version: to.version, inputs: {} };
  return { ...typed, query: to.id, version, inputs };
}

/** Whether streams or time settings are typed that a change of the version alone would not bring. */
export function otherInputs(typed: BindingTyped, stored: BindingShown): boolean {
  const begun = typed.query === stored.query ? typedBinding(stored).inputs : {};
  return Object.entries(typed.inputs).some(([node, { stream, advance }]) => {
    const before = begun[node] ?? { stream: "", advance: "" };
    return stream !== before.stream || (stream !== "" && advance.trim() !== before.advance);
  });
}

/** The input nodes of a version with the names of their streams. */
export function inputNodes(version: VersionShown | undefined): { node: string; stream: string }[] {
  return (version?.graph.nodes ?? []).flatMap((node) =>
    node.kind === "input" ? [{ node: node.id, stream: node.stream }] : [],
  );
}

export interface BindingRead {
  body: BindingChange;
  wrong: Record<string, string>;
}

/** What the page does not show of an input; it is that of the query that is stored. */
function eventTimeOf(node: string, typed: BindingTyped, stored: BindingShown) {
  if (typed.query !== stored.query) return null;
  return stored.inputs.find((each) => each.node === node)?.event_time ?? null;
}

/** The body that says what was typed; inputs that the chosen version does not have are left out. */
export function readBinding(typed: BindingTyped, nodes: readonly string[], stored: BindingShown): BindingRead {
  const inputs: Inputs = {};
  const wrong: Record<string, string> = {};
  for (const node of nodes) {
    const { stream, advance } = typed.inputs[node] ?? { stream: "", advance: "" };
    if (stream === "") continue; // as the query's text says it
    const event_time = eventTimeOf(node, typed, stored);
    try {
      inputs[node] = { stream, advance: advance.trim() === "" ? null : JSON.parse(advance), event_time };
    } catch {
      wrong[`inputs.${node}.advance`] = 'This is not JSON. Write for example {"preset": "watermark(5s)"}.';
    }
  }
  const { name, version, dedicated, upon } = typed;
  const freshness = typed.freshness.trim() || null;
  return { body: { name: name.trim(), query_version: version, dedicated, freshness, inputs, upon }, wrong };
}
