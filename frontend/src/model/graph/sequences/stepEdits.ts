/** Changes of the steps of a pattern; each returns new steps. */

import { freeName } from "../../text/freeName";
import {
  type GroupOrder,
  type GroupStep,
  groupStep,
  isOnce,
  isPlainList,
  normalSteps,
  ONCE,
  type Step,
  type StepPath,
  takeStep,
  variablesOf,
} from "./steps";

type Steps = readonly Step[];

/** Return the step at a path; undefined if no step is there. */
export function stepAt(steps: Steps, [index = -1, ...rest]: StepPath): Step | undefined {
  const step = steps[index];
  if (rest.length === 0) return step;
  return step?.kind === "group" ? stepAt(step.parts, rest) : undefined;
}

/** Return the steps next to the step at a path, it included. */
export function siblingsOf(steps: Steps, path: StepPath): Steps {
  if (path.length < 2) return steps;
  const parent = stepAt(steps, path.slice(0, -1));
  return parent?.kind === "group" ? parent.parts : [];
}

/** Change the list that contains the step at a path. */
function inList(steps: Steps, [index = -1, ...rest]: StepPath, change: (list: Steps, at: number) => Steps): Steps {
  if (rest.length === 0) return change(steps, index);
  const step = steps[index];
  return step?.kind === "group" ? steps.with(index, { ...step, parts: inList(step.parts, rest, change) }) : steps;
}

/** Replace the step at a path. */
export function withStep(steps: Steps, path: StepPath, step: Step): Steps {
  return normalSteps(inList(steps, path, (list, at) => list.with(at, step)));
}

/** Remove the step at a path. Where it is the only one, nothing is left: a part that takes no row. */
export function withoutStep(steps: Steps, path: StepPath): Steps {
  return normalSteps(inList(steps, path, (list, at) => list.toSpliced(at, 1)));
}

/** Let an alternative, or a part in any order, take no row. */
export function emptied(steps: Steps, path: StepPath): Steps {
  return withStep(steps, path, groupStep("sequence", []));
}

/** Swap the step at a path with the one `by` places later. */
export function moved(steps: Steps, path: StepPath, by: -1 | 1): Steps {
  return normalSteps(
    inList(steps, path, (list, at) => {
      const [step, other] = [list[at], list[at + by]];
      return step === undefined || other === undefined ? list : list.with(at, other).with(at + by, step);
    }),
  );
}

function freshStep(steps: Steps): Step {
  return takeStep(freeName("B", variablesOf(steps)));
}

function withNext(list: Steps, step: Step): Steps {
  return list.at(-1)?.kind === "absent" ? list.toSpliced(-1, 0, step) : [...list, step];
}

/** Add a step to the end of the pattern, before its absence. */
export function withNewStep(steps: Steps): Steps {
  return normalSteps(withNext(steps, freshStep(steps)));
}

/** Add a step to the end of the group or of the part at a path. */
export function withStepInside(steps: Steps, path: StepPath): Steps {
  const step = stepAt(steps, path);
  if (step === undefined) return steps;
  const isList = step.kind === "group" && step.order === "sequence";
  const parts = withNext(isList ? step.parts : [step], freshStep(steps));
  return withStep(steps, path, isList ? { ...step, parts } : groupStep("sequence", parts));
}

/** Add a part to alternatives, or to parts in any order; another step becomes the first of two alternatives. */
export function withPart(steps: Steps, path: StepPath): Steps {
  const step = stepAt(steps, path);
  if (step === undefined) return steps;
  const isGroup = step.kind === "group" && step.order !== "sequence";
  const parts = [...(isGroup ? step.parts : [step]), freshStep(steps)];
  return withStep(steps, path, isGroup ? { ...step, parts } : groupStep("branches", parts));
}

/** Put the next step into the group at a path; another step becomes a group with the next one. */
export function groupedWithNext(steps: Steps, path: StepPath): Steps {
  return normalSteps(
    inList(steps, path, (list, at) => {
      const [step, next] = [list[at], list[at + 1]];
      if (step === undefined || next === undefined) return list;
      const isList = step.kind === "group" && step.order === "sequence";
      const group = isList ? { ...step, parts: [...step.parts, next] } : groupStep("sequence", [step, next]);
      return list.toSpliced(at, 2, group);
    }),
  );
}

/** Return whether the parts of a group can take its place without another meaning. */
export function canUngroup(step: GroupStep): boolean {
  return step.order === "sequence" && isOnce(step);
}

/** Put the parts of the group at a path into its place. */
export function ungrouped(steps: Steps, path: StepPath): Steps {
  const step = stepAt(steps, path);
  if (step?.kind !== "group" || !canUngroup(step)) return steps;
  return normalSteps(inList(steps, path, (list, at) => list.toSpliced(at, 1, ...step.parts)));
}

/** Change whether the parts of a group are one after another, alternatives, or in any order. */
export function ordered(steps: Steps, path: StepPath, order: GroupOrder): Steps {
  const step = stepAt(steps, path);
  return step?.kind === "group" ? withStep(steps, path, { ...step, order }) : steps;
}

/** Leave the rows of a step out of ALL ROWS, or not. */
export function excludedStep(step: Step, excluded: boolean): Step {
  if (step.kind === "take") return { ...step, excluded };
  return step.kind === "group" ? { ...step, parts: step.parts.map((part) => excludedStep(part, excluded)) } : step;
}

function mayBeEmpty(step: Step): boolean {
  if (step.kind === "absent" || step.least === 0) return true;
  if (step.kind === "take") return false;
  return step.order === "branches" ? step.parts.some(mayBeEmpty) : step.parts.every(mayBeEmpty);
}

/** Return whether an absence may be at a path: where nothing follows, after a step that takes a row (T32). */
export function mayBeAbsent(steps: Steps, path: StepPath): boolean {
  let group: GroupStep = groupStep("sequence", steps, ONCE);
  let isPreceded = false;
  for (const index of path) {
    const inOrder = group.order === "sequence";
    if (group.most !== 1 || group.order === "permute") return false;
    if (inOrder && variablesOf(group.parts.slice(index + 1)).length > 0) return false;
    isPreceded ||= inOrder && group.parts.slice(0, index).some((part) => !mayBeEmpty(part));
    const next = group.parts[index];
    if (next?.kind === "group") group = next;
  }
  return isPreceded;
}

/** Return the number of a step for people, for example "2.1". */
export function stepNumber(path: StepPath): string {
  return path.map((index) => index + 1).join(".");
}

/** Return the paths of the steps in a part of a group: those of its list, otherwise its own. */
export function pathsInside(part: Step, path: StepPath): readonly StepPath[] {
  return isPlainList(part) ? part.parts.map((_, index) => [...path, index]) : [path];
}
