/** Names of variables in the expressions of a sequence: they follow a change of the pattern. */

import type { GraphNode } from "../../api";
import { type Step, textOfSteps, variablesOf } from "./steps";

const TOKEN =
  /(\s+|--[^\n\r]*|\/\*[\s\S]*?\*\/)|'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"|`[^`]*`|\d[A-Za-z0-9_.]*|[A-Za-z_]\w*|[=<>!]+|[\s\S]/gu;
const COMPARISONS = new Set(["=", "==", "!=", "<>", "<=>"]);

const isClassifier = (token: string | undefined) => token?.toUpperCase() === "CLASSIFIER";

/** Return whether a call of CLASSIFIER ends before the token `at`. */
function afterClassifier(tokens: readonly string[], at: number): boolean {
  if (tokens[at - 1] !== ")") return false;
  return isClassifier(tokens[at - 3]) || (tokens[at - 3] === "(" && isClassifier(tokens[at - 4]));
}

/** Return the index after CLASSIFIER(...) IN, or NOT IN, of a list that has the text literal at `at`; null without. */
function testedBefore(tokens: readonly string[], at: number): number | null {
  let open = at;
  while (tokens[open - 1] === "," && /^['"]/.test(tokens[open - 2] ?? "")) open -= 2;
  if (tokens[open - 1] !== "(" || tokens[open - 2]?.toUpperCase() !== "IN") return null;
  return open - (tokens[open - 3]?.toUpperCase() === "NOT" ? 3 : 2);
}

/** Return whether the text literal at `at` is compared with a CLASSIFIER, whose values are names of variables. */
function isComparedName(tokens: readonly string[], at: number): boolean {
  if (COMPARISONS.has(tokens[at + 1] ?? "")) return isClassifier(tokens[at + 2]);
  const before = COMPARISONS.has(tokens[at - 1] ?? "") ? at - 1 : testedBefore(tokens, at);
  return before !== null && afterClassifier(tokens, before);
}

function isVariableAt(tokens: readonly string[], at: number): boolean {
  if (tokens[at - 1] === ".") return false;
  return tokens[at + 1] === "." || (tokens[at - 1] === "(" && tokens[at + 1] === ")" && isClassifier(tokens[at - 2]));
}

function renamedToken(tokens: readonly string[], at: number, from: string, to: string): string {
  const token = tokens[at] ?? "";
  if (token === from || token === `\`${from}\``) return isVariableAt(tokens, at) ? to : token;
  const isText = token === `'${from}'` || token === `"${from}"`;
  return isText && isComparedName(tokens, at) ? `'${to}'` : token;
}

/** Return an expression in which the variable `from` is called `to`; other words and texts stay. */
export function renamedIn(expression: string, from: string, to: string): string {
  const found = [...expression.matchAll(TOKEN)];
  const tokens = found.filter(([, space]) => space === undefined).map(([token]) => token);
  let at = 0;
  return found.map(([token, space]) => (space === undefined ? renamedToken(tokens, at++, from, to) : token)).join("");
}

type SequenceNode = Extract<GraphNode, { kind: "match_recognize" }>;
type Named = { name: string; of: string };
/** The fields of a sequence that depend on its pattern. */
export type PatternFields = Pick<SequenceNode, "pattern"> &
  Partial<Pick<SequenceNode, "define" | "measures" | "subsets" | "after_match">>;

function renamedSkip(after: SequenceNode["after_match"], from: string, to: string): Partial<PatternFields> {
  if (typeof after !== "object" || after === null) return {};
  const sides = Object.entries(after).map(([side, name]) => [side, name === from ? to : name]);
  return { after_match: Object.fromEntries(sides) as typeof after };
}

/** A variable that is called `to` in the whole pattern: its condition and all expressions follow. */
function renamedFields(node: SequenceNode, from: string, to: string): Partial<PatternFields> {
  const inAll = (list: readonly Named[] | undefined, own: boolean) =>
    (list ?? []).map((each) => ({
      ...each,
      name: own && each.name === from ? to : each.name,
      of: renamedIn(each.of, from, to),
    }));
  const subsets = (node.subsets ?? []).map((each) => ({
    ...each,
    of: each.of.map((name) => (name === from ? to : name)) as typeof each.of,
  }));
  return {
    define: inAll(node.define, true),
    measures: inAll(node.measures, false),
    subsets,
    ...renamedSkip(node.after_match, from, to),
  };
}

function conditionsOf(define: readonly Named[], gone: readonly string[]): Named[] {
  return define.filter(({ name }) => !gone.includes(name));
}

/**
 * Return the changed fields of a sequence with other steps. The condition of a variable that is gone goes with it.
 * `renamed`: one step has another variable. A name that is gone is renamed in all expressions; one that other steps
 * still have keeps its condition, and the new name has the same.
 */
export function fieldsAfter(
  node: SequenceNode,
  before: readonly Step[],
  next: readonly Step[],
  renamed: { from: string; to: string } | null = null,
): PatternFields {
  const pattern = textOfSteps(next);
  const names = variablesOf(next);
  const gone = variablesOf(before).filter((name) => !names.includes(name));
  const define = node.define ?? [];
  const isNew =
    renamed !== null &&
    !variablesOf(before).includes(renamed.to) &&
    [...define, ...(node.subsets ?? [])].every(({ name }) => name !== renamed.to);
  if (!isNew) return { pattern, define: conditionsOf(define, gone) };
  const { from, to } = renamed;
  if (gone.includes(from)) return { pattern, ...renamedFields(node, from, to) };
  const own = define.find(({ name }) => name === from);
  return { pattern, define: own === undefined ? define : [...define, { name: to, of: renamedIn(own.of, from, to) }] };
}
