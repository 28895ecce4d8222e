/** The input of the binding form, and the resulting binding. */

import type {
  AdvanceTimeSettings,
  BindingChange,
  BindingResponse,
  FreshnessLevel,
  TimeUnit,
  VersionResponse,
} from "../api";
import { type Freshness, freshnessOf } from "../run/freshness";

/** The form fields of one input. */
export interface InputTyped {
  /** The id of its stream; empty: the stream that the query names. */
  stream: string;
  /** Its own time settings; null: set by the query, otherwise by the stream. */
  advance: AdvanceTimeSettings | null;
  /** The column or path of its own event time; empty: see above. */
  path: string;
  unit: TimeUnit;
  zone: string;
  /** The format, if the unit is a pattern. */
  pattern: string;
}

/** An input with no fields filled in. */
export const UNTYPED: InputTyped = { stream: "", advance: null, path: "", unit: "iso", zone: "UTC", pattern: "" };

export interface BindingTyped {
  name: string;
  query: string;
  version: string;
  dedicated: boolean;
  freshness: Freshness;
  /** The promised share of rows in results, in percent; drafts of earlier releases lack it. */
  completeness?: number;
  /** Its freshness level, null without one; drafts of earlier releases lack it. */
  level?: FreshnessLevel | null;
  /** By input node. */
  inputs: Readonly<Record<string, InputTyped>>;
  /** The base revision, and its content. */
  upon: string;
  begun: string;
}

type Inputs = NonNullable<BindingChange["inputs"]>;

export function bindingText(binding: BindingResponse): string {
  const { name, query_name: query, query_version_number: version, dedicated, freshness, completeness } = binding;
  const level = binding.freshness_level;
  const inputs = binding.inputs.map(({ node, stream_name, advance, event_time }) => ({
    node,
    stream_name,
    advance,
    event_time,
  }));
  return JSON.stringify({ name, query, version, dedicated, freshness, completeness, level, inputs }, null, 2);
}

export function typedBinding(binding: BindingResponse): BindingTyped {
  const inputs = binding.inputs.map(({ node, stream, advance, event_time: time }) => {
    const { path, unit = UNTYPED.unit, zone = UNTYPED.zone, pattern } = time ?? UNTYPED;
    return [node, { stream, advance, path, unit, zone, pattern: pattern ?? "" }] as const;
  });
  return {
    name: binding.name,
    query: binding.query,
    version: binding.query_version,
    dedicated: binding.dedicated,
    freshness: binding.freshness,
    completeness: binding.completeness,
    level: binding.freshness_level,
    inputs: Object.fromEntries(inputs),
    upon: binding.revision,
    begun: bindingText(binding),
  };
}

/** Move the form to another query: its inputs differ, and read the streams that the query names. */
export function movedTo(
  typed: BindingTyped,
  to: { id: string; version: string },
  stored: BindingResponse,
): BindingTyped {
  if (to.id === typed.query) return typed;
  const begun = typedBinding(stored);
  const { version, inputs } = to.id === stored.query ? begun : { version: to.version, inputs: {} };
  return { ...typed, query: to.id, version, inputs };
}

/** Return a typed input; fields that an old draft lacks, or has as text, count as empty. */
export function inputOf(typed: BindingTyped, node: string): InputTyped {
  const input = { ...UNTYPED, ...typed.inputs[node] };
  return typeof input.advance === "object" ? input : { ...input, advance: null };
}

function eventTimeOf({ path, unit, zone, pattern }: InputTyped) {
  if (path.trim() === "") return null;
  const time = { path: path.trim(), unit, zone: zone.trim() };
  return unit === "pattern" ? { ...time, pattern: pattern.trim() } : time;
}

/** Return true if streams or time settings were changed, in addition to the version. */
export function otherInputs(typed: BindingTyped, stored: BindingResponse): boolean {
  const begun = typed.query === stored.query ? typedBinding(stored).inputs : {};
  return Object.keys(typed.inputs).some((node) => {
    const input = inputOf(typed, node);
    const before = begun[node] ?? UNTYPED;
    const serialize = ({ advance, ...time }: InputTyped) =>
      JSON.stringify([advance, eventTimeOf({ advance, ...time })]);
    return input.stream !== before.stream || (input.stream !== "" && serialize(input) !== serialize(before));
  });
}

/** Return the input nodes of a version with the names of their streams. */
export function inputNodes(version: VersionResponse | undefined): { node: string; stream: string }[] {
  return (version?.graph.nodes ?? []).flatMap((node) =>
    node.kind === "input" ? [{ node: node.id, stream: node.stream }] : [],
  );
}

/** Return the request body; inputs that the chosen version does not have are omitted. */
export function readBinding(typed: BindingTyped, nodes: readonly string[]): BindingChange {
  const inputs: Inputs = {};
  for (const node of nodes) {
    const input = inputOf(typed, node);
    const { stream, advance } = input;
    if (stream !== "") inputs[node] = { stream, advance, event_time: eventTimeOf(input) }; // otherwise the query's text sets it
  }
  const { name, version, dedicated, upon, completeness = null, level } = typed;
  const freshness = freshnessOf(typed.freshness);
  const levels = level === undefined ? { completeness } : { completeness, freshness_level: level };
  return { name: name.trim(), query_version: version, dedicated, freshness, ...levels, inputs, upon };
}

/** Return a binding's settings, to replace it with one change; refused if the binding has changed since. */
export function settingsOf(binding: BindingResponse) {
  const { name, query_version, inputs, freshness, dedicated, revision: upon } = binding;
  const entries = inputs.map(
    ({ node, stream, advance, event_time }) => [node, { stream, advance, event_time }] as const,
  );
  return { name, query_version, freshness, dedicated, inputs: Object.fromEntries(entries), upon };
}

/**
 * Return the settings of a binding with version `after` in place of `before`. An input keeps its stream and settings if
 * both versions have it and name the same stream there, as far as `before` is known; otherwise the text of the query
 * decides.
 */
export function withVersion(
  binding: BindingResponse,
  before: VersionResponse | undefined,
  after: VersionResponse,
): BindingChange {
  const named = new Map(inputNodes(before ?? after).map(({ node, stream }) => [node, stream]));
  const kept = new Set(inputNodes(after).flatMap(({ node, stream }) => (named.get(node) === stream ? [node] : [])));
  const settings = settingsOf(binding);
  const inputs = Object.fromEntries(Object.entries(settings.inputs).filter(([node]) => kept.has(node)));
  return { ...settings, query_version: after.id, inputs };
}
