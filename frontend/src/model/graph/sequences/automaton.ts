/** The lines of the automaton of a pattern. */

import { type Pattern, patternOf, timesWords } from "./pattern";

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
