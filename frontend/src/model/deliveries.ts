/** How far results have come on their way to an output, in words that never say more than is so. */

import type { AdapterKind, BindingChange, BindingShown } from "./api";
import { counted } from "./counts";
import { type FormField, type FormValues, readForm } from "./schemaForm";
import type { Tone } from "./states";

export type OutputShown = BindingShown["outputs"][number];
export type DeliverySeen = NonNullable<OutputShown["delivery"]>;

export interface DeliveryWords {
  tone: Tone;
  /** The state in a word or two. */
  label: string;
  /** What waits; empty where nothing does. */
  waiting: string;
}

const STATES: Record<DeliverySeen["state"], readonly [Tone, string]> = {
  current: ["done", "all delivered"],
  behind: ["busy", "delivering"],
  retrying: ["unknown", "trying again"],
  stopped: ["bad", "stopped"],
};

/** What is seen of a delivery; settings that were changed since are not yet in what was seen. */
export function deliveryWords(output: OutputShown): DeliveryWords {
  const { delivery } = output;
  if (delivery === null) return { tone: "idle", label: "not begun", waiting: "" };
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

/** Who has to act, and what happens then. */
export function mendWords({ domain }: DeliverySeen): string {
  if (domain === "user") return "It goes on at once when the settings of the output are changed.";
  return domain === null ? "" : "It is tried again by itself; what is committed waits.";
}

/** Rows that were deleted before they could be brought; null where there are none. */
export function lostWords({ lost_rows: rows }: DeliverySeen): string | null {
  return rows === 0 ? null : `${counted(rows, "row")} were deleted before they could be delivered.`;
}

/** What each kind of output is called. */
export function titlesOf(kinds: readonly AdapterKind[] | undefined): Record<string, string> {
  return Object.fromEntries((kinds ?? []).map(({ kind, title }) => [kind, title]));
}

/** The output nodes of a query, in its order. */
export function outputNodes(nodes: readonly { kind: string; id: string }[]): string[] {
  return nodes.flatMap(({ kind, id }) => (kind === "output" ? [id] : []));
}

/** What is typed of one output; `identity` is null for a new one. */
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

/** The outputs that were typed, and what is wrong with them by the path of the field. */
export function readOutputs(typed: readonly OutputTyped[], fieldsOf: (kind: string) => FormField[]): OutputsRead {
  const read: OutputsRead = { outputs: [], wrong: {} };
  typed.forEach(({ identity, node, kind, options }, place) => {
    const { options: said, wrong } = readForm(fieldsOf(kind), options, `outputs.${place}.adapter.options.`);
    Object.assign(read.wrong, wrong);
    read.outputs.push({ identity, node, adapter: { kind, options: said } });
  });
  return read;
}

/** The paths of the fields that are drawn of the outputs. */
export function outputPaths(typed: readonly OutputTyped[], fieldsOf: (kind: string) => FormField[]): string[] {
  return typed.flatMap(({ kind }, place) => [
    `outputs.${place}.node`,
    `outputs.${place}.adapter`,
    ...fieldsOf(kind).map(({ name }) => `outputs.${place}.adapter.options.${name}`),
  ]);
}
