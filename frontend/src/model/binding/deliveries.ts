/** The delivery progress of an output, in words that never claim more than was observed. */

import type { AdapterKind, BindingChange, BindingResponse } from "../api";
import { type FormField, type FormValues, readForm } from "../forms/schemaForm";
import type { Tone } from "../run/states";
import { counted } from "../text/counts";

export type OutputOverview = BindingResponse["outputs"][number];
export type DeliverySeen = NonNullable<OutputOverview["delivery"]>;

export interface DeliveryWords {
  tone: Tone;
  /** The state in a word or two. */
  label: string;
  /** The waiting rows; empty without any. */
  waiting: string;
}

const STATES: Record<DeliverySeen["state"], readonly [Tone, string]> = {
  current: ["done", "all delivered"],
  behind: ["busy", "delivering"],
  retrying: ["unknown", "retrying"],
  stopped: ["bad", "stopped"],
};

/** Return the words for an observed delivery; newer settings are not part of the observation yet. */
export function deliveryWords(output: OutputOverview): DeliveryWords {
  const { delivery } = output;
  if (delivery === null) return { tone: "idle", label: "not started", waiting: "" };
  if (delivery.revision !== output.revision)
    return { tone: "busy", label: "settings changed", waiting: waitingWords(delivery) };
  if (delivery.state === "current" && delivery.delivered === null)
    return { tone: "idle", label: "nothing to deliver yet", waiting: "" };
  if (!delivery.carried) return { tone: "unknown", label: "waiting for its runner", waiting: waitingWords(delivery) };
  const [tone, label] = STATES[delivery.state];
  return { tone, label, waiting: waitingWords(delivery) };
}

function waitingWords({ waiting_rows: rows, waiting_exact: exact }: DeliverySeen): string {
  if (rows === 0) return "";
  return exact ? counted(rows, "row") : `up to ${counted(rows, "row")}`;
}

/** Return who has to act, and what happens then. */
export function fixWords({ domain }: DeliverySeen): string {
  if (domain === "user") return "It resumes when you change the output's settings or start the binding.";
  return domain === null ? "" : "It is retried automatically; committed results wait.";
}

/** Return a note on rows that were deleted before their delivery; null without such rows. */
export function lostWords({ lost_rows: rows }: DeliverySeen): string | null {
  return rows === 0 ? null : `${counted(rows, "row")} were deleted before they could be delivered.`;
}

/** Return the titles of the kinds of outputs. */
export function titlesOf(kinds: readonly AdapterKind[] | undefined): Record<string, string> {
  return Object.fromEntries((kinds ?? []).map(({ kind, title }) => [kind, title]));
}

/** Return the output nodes of a query, in its order. */
export function outputNodes(nodes: readonly { kind: string; id: string }[]): string[] {
  return nodes.flatMap(({ kind, id }) => (kind === "output" ? [id] : []));
}

/** The form fields of one output; `identity` is null for a new one. */
export interface OutputTyped {
  identity: string | null;
  node: string;
  kind: string;
  options: FormValues;
}

export interface OutputsRead {
  outputs: NonNullable<BindingChange["outputs"]>;
  wrong: Record<string, string>;
}

/** Return the typed outputs, and the errors by path of the field. */
export function readOutputs(typed: readonly OutputTyped[], fieldsOf: (kind: string) => FormField[]): OutputsRead {
  const read: OutputsRead = { outputs: [], wrong: {} };
  typed.forEach(({ identity, node, kind, options }, place) => {
    const { options: values, wrong } = readForm(fieldsOf(kind), options, `outputs.${place}.adapter.options.`);
    Object.assign(read.wrong, wrong);
    read.outputs.push({ identity, node, adapter: { kind, options: values } });
  });
  return read;
}

/** Return the paths of the outputs' visible fields. */
export function outputPaths(typed: readonly OutputTyped[], fieldsOf: (kind: string) => FormField[]): string[] {
  return typed.flatMap(({ kind }, place) => [
    `outputs.${place}.node`,
    `outputs.${place}.adapter`,
    ...fieldsOf(kind).map(({ name }) => `outputs.${place}.adapter.options.${name}`),
  ]);
}
