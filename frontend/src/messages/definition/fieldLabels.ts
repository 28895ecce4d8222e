/** Labels of node fields in forms; a field without an entry uses its name. */

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
  type: "Rows without a match",
  group_by: "Group by",
  window: "Window",
  grace: "Grace",
  emit: "Emit rows",
  retract: "Deletions for replaced rows",
  empty: "Windows without events",
  empty_gap: "Longest gap to fill",
  empty_groups: "Groups to fill, as JSON",
  aggregates: "Results",
  k: "Number of rows",
  timestamp: "Time of results",
  order_by: "Order of equal starts, as JSON",
  pattern: "Pattern",
  subsets: "Names for several variables, as JSON",
  define: "Conditions of variables",
  measures: "Measures",
  rows: "Rows of a match",
  after_match: "After a match, continue",
  within: "Within",
  reach: "PREV and NEXT see as far as",
  lifetime: "Lifetime of a match",
  max_rows: "Most rows of a match",
  size: "Size",
  hop: "New window every",
  offset: "Offset",
  period: "New pane every",
  discard_age: "Discard age",
  unit: "Each",
  zone: "Time zone",
  gap: "Session gap",
  max: "Longest session",
  n: "Starts per window",
  name: "Name",
  of: "Of",
  filter: "Filter",
  function: "Function",
  fraction: "Fraction, from 0 to 1",
};

/** Titles of fields that have another meaning in one kind of node. */
const OWN_TITLES: Readonly<Record<string, string>> = {
  "clip input": "Rows",
  "analytic columns": "Columns, as JSON",
  "analytic reach": "Reach",
};

/** Return the label of a field; `kind` is that of its node. */
export function fieldTitle(kind: string, name: string): string {
  if (name === "by") return kind === "clip" ? "Ended by" : kind === "top_k" ? "Largest by" : "By";
  return OWN_TITLES[`${kind} ${name}`] ?? TITLES[name] ?? name.replaceAll("_", " ");
}

const HELP: Readonly<Record<string, string>> = {
  grace: "How long a window stays open after its end. Empty: set by the input's preset, otherwise none.",
  empty_groups: 'For example [{"plate": "A"}]. Empty: groups that have occurred.',
  period: "Empty: the length of a pane.",
  max: "Empty: no limit.",
  zone: "An IANA name, such as Europe/Zurich. Clock changes make days of 23 or 25 hours.",
  pattern: "Variables in order, for example A B+? (C | D){2,4} ABSENT E FOR 15m.",
  subsets: 'For example [{"name": "U", "of": ["A", "B"]}].',
  order_by: 'For example [{"of": "line", "descending": true}].',
  after_match: "past last row, to next row, to first A or to last A.",
  within: "The last row starts less than that after the first. Without it, a match may wait forever.",
  reach: "Empty: as far as a match may be long.",
  keys: "Fields of both sides that must be equal.",
  retract: "Only for emit modes that can replace rows, not “once, when final”.",
};

export function fieldHelp(name: string): string | undefined {
  return HELP[name];
}

const CHOICES: Readonly<Record<string, string>> = {
  inner: "are dropped",
  left_outer: "are emitted with nulls",
  final: "once, when final",
  on_complete: "when complete, then on each change",
  running: "on each change",
  skip: "emit no rows",
  default: "also emit rows",
  one: "one row",
  all: "all rows",
  all_omit_empty: "all rows, without empty matches",
  all_with_unmatched: "all rows, matched or not",
  last_row: "a point at its last row",
  span: "from its first row to its last",
  lifetime: "unchanged",
  point_at_end: "a point at their end",
  latest_input: "a point at their latest input",
};

export function choiceWords(choice: string): string {
  return CHOICES[choice] ?? WINDOW_WORDS[choice]?.choice ?? choice.replaceAll("_", " ");
}
