/** A pattern as a list of steps, which a form can edit, and as the lines of its automaton. */

import { type Pattern, patternOf, timesWords } from "./pattern";

/** One step of a pattern without alternatives: a variable that takes rows, or the absence of one. */
export interface Step {
  variable: string;
  least: number;
  most: number | null;
  reluctant: boolean;
  excluded: boolean;
  /** The duration of an absence; null for a step that takes rows. */
  absentFor: string | null;
}

function stepOf(pattern: Pattern): Step | null {
  const once = { least: 1, most: 1, reluctant: false, excluded: false, absentFor: null };
  switch (pattern.kind) {
    case "take":
      return { ...once, variable: pattern.variable, excluded: pattern.excluded };
    case "absent":
      return { ...once, variable: pattern.variable, absentFor: pattern.duration };
    case "repeat": {
      const { part, least, most, reluctant } = pattern;
      if (part.kind !== "take") return null;
      return { ...once, variable: part.variable, excluded: part.excluded, least, most, reluctant };
    }
    default:
      return null;
  }
}

/** Return the steps of a pattern; null if it has alternatives, groups or comments, which a list can't express. */
export function stepsOf(text: string): Step[] | null {
  const pattern = text.includes("--") || text.includes("/*") ? null : patternOf(text);
  if (pattern === null) return null;
  const parts = pattern.kind === "sequence" ? pattern.parts : [pattern];
  const steps = parts.map(stepOf);
  return steps.length > 0 && steps.every((step) => step !== null) ? steps : null;
}

const SIGNS: Readonly<Record<string, string>> = { "1,1": "", "0,1": "?", "0,": "*", "1,": "+" };

function quantifierOf({ least, most, reluctant }: Step): string {
  const bounds = `${least},${most ?? ""}`;
  const sign = SIGNS[bounds] ?? (least === most ? `{${least}}` : `{${bounds}}`);
  return `${sign}${reluctant && sign !== "" ? "?" : ""}`;
}

/** Return the text of a list of steps. */
export function textOfSteps(steps: readonly Step[]): string {
  return steps
    .map((step) => {
      if (step.absentFor !== null) return `ABSENT ${step.variable} FOR ${step.absentFor}`;
      return `${step.excluded ? `{- ${step.variable} -}` : step.variable}${quantifierOf(step)}`;
    })
    .join(" ");
}

/** One line of a drawn automaton: a step, or the head of a group, whose lines are deeper. */
export interface AutomatonLine {
  depth: number;
  kind: "take" | "absent" | "group" | "or";
  label: string;
  /** The number of repetitions in words; empty for once. */
  times: string;
  condition: string;
  excluded: boolean;
}

type Conditions = ReadonlyMap<string, string>;

function groupLines(label: string, times: string, depth: number, lines: readonly AutomatonLine[]): AutomatonLine[] {
  return [{ depth, kind: "group", label, times, condition: "", excluded: false }, ...lines];
}

function leafLine(
  leaf: Extract<Pattern, { kind: "take" | "absent" }>,
  conditions: Conditions,
  depth: number,
  times: string,
): AutomatonLine {
  const condition = conditions.get(leaf.variable) ?? "any row";
  if (leaf.kind === "take") {
    return { depth, kind: "take", label: leaf.variable, times, condition, excluded: leaf.excluded };
  }
  const label = `no ${leaf.variable} for ${leaf.duration}`;
  return { depth, kind: "absent", label, times, condition, excluded: false };
}

function alternativeLines(
  kind: "branches" | "permute",
  parts: readonly Pattern[],
  conditions: Conditions,
  depth: number,
) {
  const [label, between] = kind === "branches" ? ["one of", "or"] : ["in any order", "and"];
  const inner = parts.flatMap((part, index) => {
    const own = linesOf(part, conditions, depth + 1, "");
    const or = { depth, kind: "or" as const, label: between, times: "", condition: "", excluded: false };
    return index === 0 ? own : [or, ...own];
  });
  return groupLines(label, "", depth, inner);
}

function linesOf(pattern: Pattern, conditions: Conditions, depth: number, times: string): AutomatonLine[] {
  switch (pattern.kind) {
    case "take":
    case "absent":
      return [leafLine(pattern, conditions, depth, times)];
    case "repeat": {
      const words = timesWords(pattern.least, pattern.most, pattern.reluctant);
      const { part } = pattern;
      if (part.kind === "take") return [leafLine(part, conditions, depth, words)];
      return groupLines("together", words, depth, linesOf(part, conditions, depth + 1, ""));
    }
    case "sequence":
      return pattern.parts.flatMap((part) => linesOf(part, conditions, depth, ""));
    case "branches":
    case "permute":
      return alternativeLines(pattern.kind, pattern.parts, conditions, depth);
  }
}

/** Return the lines of the automaton of a pattern, in order; null if the text can't be read. */
export function automatonLines(text: string, define: readonly { name: string; of: string }[]): AutomatonLine[] | null {
  const pattern = patternOf(text);
  return pattern && linesOf(pattern, new Map(define.map(({ name, of }) => [name, of])), 0, "");
}

interface Condition {
  name: string;
  of: string;
}

/**
 * Return the conditions after a change of the step `at`: a renamed variable keeps its condition, and the condition of
 * a variable that is gone goes with it. Conditions of names that are no steps, for example of unions, stay.
 */
export function conditionsAfter<C extends Condition>(
  define: readonly C[],
  steps: readonly Step[],
  next: readonly Step[],
  at: number,
): C[] {
  const has = (list: readonly Step[], name: string) => list.some(({ variable }) => variable === name);
  const before = steps[at]?.variable ?? "";
  const after = next[at]?.variable ?? "";
  const isRenamed = next.length === steps.length && before !== after && !has(next, before);
  const moves = isRenamed && define.every(({ name }) => name !== after);
  return define
    .map((each) => (moves && each.name === before ? { ...each, name: after } : each))
    .filter(({ name }) => has(next, name) || !has(steps, name));
}
