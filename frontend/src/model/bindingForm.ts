/** What is typed in the form of a binding, and the binding that it says. */

import type { AdvanceTimeSettings, BindingChange, BindingShown, TimeUnit, VersionShown } from "./api";
import { type Freshness, freshnessOf } from "./freshness";

/** What is typed of one input. */
export interface InputTyped {
  /** The id of its stream; empty: the one that the query names. */
  stream: string;
  /** Settings of time of its own; null: as the query's text says, else as the stream does. */
  advance: AdvanceTimeSettings | null;
  /** The column or path of its own event time; empty: as above. */
  path: string;
  unit: TimeUnit;
  zone: string;
}

/** An input of which nothing is typed. */
export const UNTYPED: InputTyped = { stream: "", advance: null, path: "", unit: "iso", zone: "UTC" };

export interface BindingTyped {
  name: string;
  query: string;
  version: string;
  dedicated: boolean;
  freshness: Freshness;
  /** By input node. */
  inputs: Readonly<Record<string, InputTyped>>;
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
  const inputs = binding.inputs.map(({ node, stream, advance, event_time: time }) => {
    const { path, unit = UNTYPED.unit, zone = UNTYPED.zone } = time ?? UNTYPED;
    return [node, { stream, advance, path, unit, zone }] as const;
  });
  return {
    name: binding.name,
    query: binding.query,
    version: binding.query_version,
    dedicated: binding.dedicated,
    freshness: binding.freshness,
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

/** The input as it is typed; what a draft of an older page does not have, or has as text, is as if nothing were typed. */
export function inputOf(typed: BindingTyped, node: string): InputTyped {
  const input = { ...UNTYPED, ...typed.inputs[node] };
  return typeof input.advance === "object" ? input : { ...input, advance: null };
}

function eventTimeOf({ path, unit, zone }: InputTyped) {
  return path.trim() === "" ? null : { path: path.trim(), unit, zone: zone.trim() };
}

/** Whether streams or time settings are typed that a change of the version alone would not bring. */
export function otherInputs(typed: BindingTyped, stored: BindingShown): boolean {
  const begun = typed.query === stored.query ? typedBinding(stored).inputs : {};
  return Object.keys(typed.inputs).some((node) => {
    const input = inputOf(typed, node);
    const before = begun[node] ?? UNTYPED;
    const told = ({ advance, ...time }: InputTyped) => JSON.stringify([advance, eventTimeOf({ advance, ...time })]);
    return input.stream !== before.stream || (input.stream !== "" && told(input) !== told(before));
  });
}

/** The input nodes of a version with the names of their streams. */
export function inputNodes(version: VersionShown | undefined): { node: string; stream: string }[] {
  return (version?.graph.nodes ?? []).flatMap((node) =>
    node.kind === "input" ? [{ node: node.id, stream: node.stream }] : [],
  );
}

/** The body that says what was typed; inputs that the chosen version does not have are left out. */
export function readBinding(typed: BindingTyped, nodes: readonly string[]): BindingChange {
  const inputs: Inputs = {};
  for (const node of nodes) {
    const input = inputOf(typed, node);
    const { stream, advance } = input;
    if (stream !== "") inputs[node] = { stream, advance, event_time: eventTimeOf(input) }; // else as the query's text says it
  }
  const { name, version, dedicated, upon } = typed;
  const freshness = freshnessOf(typed.freshness);
  return { name: name.trim(), query_version: version, dedicated, freshness, inputs, upon };
}
