/** A pattern as a tree of steps, which a form can edit, and its text. */

import { type Pattern, patternOf } from "./pattern";

/** The repetitions of a step; `most` is null for any number, `reluctant` means as few times as possible. */
export interface Rounds {
  least: number;
  most: number | null;
  reluctant: boolean;
}

export type GroupOrder = "sequence" | "branches" | "permute";

/** A variable that takes a row; an `excluded` row is left out of ALL ROWS. */
export type TakeStep = Rounds & { kind: "take"; variable: string; excluded: boolean };
/** No row for which the condition of `variable` is true, for `duration`. It is never repeated. */
export type AbsentStep = Rounds & { kind: "absent"; variable: string; duration: string };
/** Parts one after another, alternatives, or parts in any order. A sequence without parts takes no row. */
export type GroupStep = Rounds & { kind: "group"; order: GroupOrder; parts: readonly Step[] };
export type Step = TakeStep | AbsentStep | GroupStep;

/** The place of a step: its index among the steps of the pattern, then among the parts of each group. */
export type StepPath = readonly number[];

/** The steps of a pattern, one after another; or the reason why a form can't show it. */
export type ReadSteps =
  | { steps: readonly Step[]; hidden?: never }
  | { steps?: never; hidden: "comments" | "unreadable" };

export const ONCE: Rounds = { least: 1, most: 1, reluctant: false };

/** Return whether a step occurs exactly once. */
export function isOnce({ least, most }: Rounds): boolean {
  return least === 1 && most === 1;
}

export function takeStep(variable: string): TakeStep {
  return { kind: "take", variable, excluded: false, ...ONCE };
}

export function groupStep(order: GroupOrder, parts: readonly Step[], rounds: Rounds = ONCE): GroupStep {
  return { kind: "group", order, parts, ...rounds };
}

function repeated(step: Step, { least, most, reluctant }: Rounds): Step {
  const rounds = { least, most, reluctant: reluctant && least !== most };
  if (isOnce(rounds)) return step;
  return isOnce(step) && step.kind !== "absent" ? { ...step, ...rounds } : groupStep("sequence", [step], rounds);
}

function stepOf(pattern: Pattern): Step {
  switch (pattern.kind) {
    case "take":
      return { kind: "take", variable: pattern.variable, excluded: pattern.excluded, ...ONCE };
    case "absent":
      return { kind: "absent", variable: pattern.variable, duration: pattern.duration, ...ONCE };
    case "repeat":
      return repeated(stepOf(pattern.part), pattern);
    default:
      return groupStep(pattern.kind, pattern.parts.map(stepOf));
  }
}

/** Return whether a step is a list of steps, without repetitions of its own. */
export function isPlainList(step: Step | undefined): step is GroupStep {
  return step?.kind === "group" && step.order === "sequence" && isOnce(step);
}

/** Return a step without groups that mean nothing: a group with one part is the part. */
function normalStep(step: Step): Step {
  if (step.kind !== "group") return step;
  const parts = step.parts.map(normalStep);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return repeated(only, step);
  return { ...step, order: parts.length === 0 ? "sequence" : step.order, parts };
}

/** Return steps without groups that mean nothing, so that their text reads as the same steps. */
export function normalSteps(steps: readonly Step[]): readonly Step[] {
  let normal = steps.map(normalStep);
  let [only] = normal;
  while (normal.length === 1 && isPlainList(only)) {
    normal = [...only.parts];
    [only] = normal;
  }
  return normal;
}

/** Return the steps of a pattern; a form would lose comments, so it can't show a pattern that has some. */
export function stepsOf(text: string): ReadSteps {
  const pattern = patternOf(text);
  if (pattern === null) return { hidden: "unreadable" };
  if (text.includes("--") || text.includes("/*")) return { hidden: "comments" };
  return { steps: normalSteps([stepOf(pattern)]) };
}

/** Return the variables and absences of steps, in the order of the text. */
export function leavesOf(steps: readonly Step[]): (TakeStep | AbsentStep)[] {
  return steps.flatMap((step) => (step.kind === "group" ? leavesOf(step.parts) : [step]));
}

/** Return the names of the variables of steps, each once. */
export function variablesOf(steps: readonly Step[]): string[] {
  return [...new Set(leavesOf(steps).map(({ variable }) => variable))];
}

/** Return whether all rows of a step are left out of ALL ROWS. */
export function isExcluded(step: Step): boolean {
  const taking = leavesOf([step]).filter((leaf) => leaf.kind === "take");
  return taking.length > 0 && taking.every(({ excluded }) => excluded);
}

const SIGNS: Readonly<Record<string, string>> = { "1,1": "", "0,1": "?", "0,": "*", "1,": "+" };

function signOf({ least, most, reluctant }: Rounds): string {
  const bounds = `${least},${most ?? ""}`;
  const sign = SIGNS[bounds] ?? (least === most ? `{${least}}` : `{${bounds}}`);
  return `${sign}${reluctant && sign !== "" ? "?" : ""}`;
}

function partsText({ order, parts }: GroupStep, hidden: boolean): string {
  if (order === "sequence") return parts.map((part) => textOf(part, hidden)).join(" ");
  const texts = parts.map((part) => {
    const list = isPlainList(part) && part.parts.length > 0 && (hidden || !isExcluded(part));
    return list ? partsText(part, hidden) : textOf(part, hidden);
  });
  return order === "branches" ? texts.join(" | ") : `PERMUTE(${texts.join(", ")})`;
}

/** Return the text of a step; `hidden`: inside of `{- -}`. */
function textOf(step: Step, hidden: boolean): string {
  if (!hidden && isExcluded(step)) {
    const inside = step.kind === "group" ? partsText(step, true) : textOf({ ...step, ...ONCE }, true);
    return `{- ${inside} -}${signOf(step)}`;
  }
  if (step.kind === "take") return `${step.variable}${signOf(step)}`;
  if (step.kind === "absent") return `ABSENT ${step.variable} FOR ${step.duration}`;
  const text = partsText(step, hidden);
  return `${step.order === "permute" ? text : `(${text})`}${signOf(step)}`;
}

/** Return the text of steps. */
export function textOfSteps(steps: readonly Step[]): string {
  const [only] = steps;
  if (only === undefined) return "()";
  const alternatives = steps.length === 1 && only.kind === "group" && only.order === "branches" && isOnce(only);
  if (alternatives && !isExcluded(only)) return partsText(only, false);
  return steps.map((step) => textOf(step, false)).join(" ");
}
