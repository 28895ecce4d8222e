/** Words of the fields of nodes in forms; a field that is not here is called by its name. */

import { WINDOW_WORDS } from "../../generated/sqlWords";

const TITLES: Readonly<Record<string, string>> = {
  stream: "Stream",
  input: "Reads",
  inputs: "Reads",
  left: "Left",
  right: "Right",
  where: "Condition",
  columns: "Columns",
  duration: "Duration",
  expression: "Duration as an expression, in ticks",
  keys: "Equal fields",
  type: "Rows without a partner",
  group_by: "For each",
  window: "Window",
  grace: "Grace",
  emit: "Rows appear",
  retract: "Deletions for replaced rows",
  empty: "Windows without events",
  empty_gap: "Longest gap that is filled",
  empty_groups: "Groups that are filled, as JSON",
  aggregates: "Results",
  k: "How many",
  timestamp: "Time of results",
  size: "Size",
  hop: "A window every",
  offset: "Offset",
  period: "A pane every",
  discard_age: "Discard age",
  gap: "Gap that ends a session",
  max: "Longest session",
  n: "Starts in a window",
  name: "Name",
  of: "Of",
  filter: "Only where",
  function: "Function",
  fraction: "Fraction, from 0 to 1",
};

/** The title of a field; `kind` is that of its node. */
export function fieldTitle(kind: string, name: string): string {
  if (name === "by") return kind === "clip" ? "Ended by" : kind === "top_k" ? "Largest by" : "By";
  if (name === "input" && kind === "clip") return "Rows";
  return TITLES[name] ?? name.replaceAll("_", " ");
}

const HELP: Readonly<Record<string, string>> = {
  grace: "How long a window stays open after its end. Empty: what the input's preset says, else none.",
  empty_groups: 'Such as [{"plate": "A"}]. Empty: the groups that were seen.',
  period: "Empty: as long as a pane.",
  max: "Empty: no limit.",
  keys: "Fields of both sides that must be equal.",
  retract: "Only where rows can be replaced: not with “once, when final”.",
};

export function fieldHelp(name: string): string | undefined {
  return HELP[name];
}

const CHOICES: Readonly<Record<string, string>> = {
  inner: "are left out",
  left_outer: "come with nulls",
  final: "once, when final",
  on_complete: "when complete, then at each change",
  running: "at each change",
  skip: "give no rows",
  default: "give rows too",
  lifetime: "as they are",
  point_at_end: "a point at their end",
  latest_input: "a point at their latest input",
};

export function choiceWords(choice: string): string {
  return CHOICES[choice] ?? WINDOW_WORDS[choice]?.choice ?? choice.replaceAll("_", " ");
}
