/** The steps of a sequence as a form: variables, repetitions, groups, alternatives and conditions. */

import { createContext, useContext, useEffect, useRef } from "react";
import type { SequenceNode } from "../../../messages/definition/summary";
import { fieldsAfter } from "../../../model/graph/sequences/names";
import {
  canUngroup,
  emptied,
  groupedWithNext,
  mayBeAbsent,
  moved,
  ordered,
  pathsInside,
  siblingsOf,
  stepAt,
  stepNumber,
  ungrouped,
  withNewStep,
  withoutStep,
  withPart,
  withStep,
  withStepInside,
} from "../../../model/graph/sequences/stepEdits";
import { type GroupStep, type Step, type StepPath, stepsOf } from "../../../model/graph/sequences/steps";
import { useDesigner } from "../page/designer";
import type { FormScope } from "./formScope";
import { StepFields } from "./StepFields";
import "./steps.css";

const MOST_PERMUTED = 6;
const HIDDEN = {
  comments: "The form can't show this pattern, because it would lose the comments. Edit its text below.",
  unreadable: "The form can't show this pattern, because its text has an error. Correct its text below.",
};

type Renamed = { from: string; to: string };

interface StepsForm {
  scope: FormScope;
  node: SequenceNode;
  steps: readonly Step[];
  /** Write other steps into the pattern; the keyboard then continues at the step `focus`. */
  write: (next: readonly Step[], focus?: StepPath, renamed?: Renamed) => void;
}

const StepsContext = createContext<StepsForm | null>(null);

function useSteps(): StepsForm {
  const form = useContext(StepsContext);
  if (form === null) throw new Error("useSteps works only in SequenceSteps");
  return form;
}

interface ActionProps {
  label: string;
  /** The words for screen readers, where the label has no object. */
  name?: string;
  isDisabled?: boolean;
  onPress: () => void;
}

function Action({ label, name, isDisabled = false, onPress }: ActionProps) {
  return (
    <button type="button" className="link" aria-label={name} disabled={isDisabled} onClick={onPress}>
      {label}
    </button>
  );
}

/** Buttons that move a step or a part among its neighbours. */
function Moves({ path, called }: { path: StepPath; called: string }) {
  const { steps, write } = useSteps();
  const count = siblingsOf(steps, path).length;
  const at = path.at(-1) ?? 0;
  if (count < 2) return null;
  const move = (by: -1 | 1) => write(moved(steps, path, by), path.with(-1, at + by));
  return (
    <>
      <Action label="Up" name={`Move ${called} up`} isDisabled={at === 0} onPress={() => move(-1)} />
      <Action label="Down" name={`Move ${called} down`} isDisabled={at === count - 1} onPress={() => move(1)} />
    </>
  );
}

function GroupActions({ path, step }: { path: StepPath; step: GroupStep }) {
  const { steps, write } = useSteps();
  const number = stepNumber(path);
  const inside = [...path, step.parts.length];
  if (step.order === "sequence") {
    return (
      <>
        <Action
          label="Add step to the group"
          name={`Add step to the group, step ${number}`}
          onPress={() => write(withStepInside(steps, path), inside)}
        />
        {canUngroup(step) ? (
          <Action label="Ungroup" name={`Ungroup step ${number}`} onPress={() => write(ungrouped(steps, path), path)} />
        ) : null}
      </>
    );
  }
  const [label, limit] =
    step.order === "branches" ? ["Add alternative", Number.POSITIVE_INFINITY] : ["Add part", MOST_PERMUTED];
  return (
    <Action
      label={label}
      name={`${label} to step ${number}`}
      isDisabled={step.parts.length >= limit}
      onPress={() => write(withPart(steps, path), inside)}
    />
  );
}

/** Buttons that combine a step of a list with others. */
function ListActions({ path, step }: { path: StepPath; step: Step }) {
  const { steps, write } = useSteps();
  const number = stepNumber(path);
  const isLast = path.at(-1) === siblingsOf(steps, path).length - 1;
  const words = step.kind === "group" && step.order === "sequence" ? "Take in the next step" : "Group with next";
  return (
    <>
      <Moves path={path} called={`step ${number}`} />
      {isLast ? null : (
        <Action
          label={words}
          name={`${words}, step ${number}`}
          onPress={() => write(groupedWithNext(steps, path), path)}
        />
      )}
      {step.kind === "group" && step.order !== "sequence" ? null : (
        <Action
          label="Add alternative"
          name={`Add alternative to step ${number}`}
          onPress={() => write(withPart(steps, path), [...path, 1])}
        />
      )}
    </>
  );
}

/** The buttons of a step; `isPart`: it is an alternative of its own, which has its own buttons. */
function StepActions({ path, step, isPart }: { path: StepPath; step: Step; isPart: boolean }) {
  const { steps, write } = useSteps();
  const remove = () =>
    write(isPart ? emptied(steps, path) : withoutStep(steps, path), path.with(-1, Math.max(0, (path.at(-1) ?? 0) - 1)));
  return (
    <span className="row step-actions">
      {isPart ? null : <ListActions path={path} step={step} />}
      {step.kind === "group" ? <GroupActions path={path} step={step} /> : null}
      <Action
        label="Remove"
        name={`Remove step ${stepNumber(path)}`}
        isDisabled={path.length === 1 && steps.length === 1}
        onPress={remove}
      />
    </span>
  );
}

/** An alternative, or a part in any order: a list of steps, which may be empty. */
function Part({ path, group }: { path: StepPath; group: GroupStep }) {
  const { scope, steps, write } = useSteps();
  const part = stepAt(steps, path);
  if (part === undefined) return null;
  const number = stepNumber(path);
  const called = group.order === "branches" ? "alternative" : "part";
  const paths = pathsInside(part, path);
  return (
    <fieldset className="stack step-part" aria-label={`${called} ${number}`}>
      <p className="small quiet">
        {group.order === "branches" ? "Alternative" : "Part"} {(path.at(-1) ?? 0) + 1}
        {paths.length === 0 ? ": takes no row" : ""}
      </p>
      {paths.map((each) => (
        <StepForm key={stepNumber(each)} path={each} isPart={each === path} />
      ))}
      {scope.readOnly ? null : (
        <span className="row step-actions">
          <Action
            label="Add step"
            name={`Add step to ${called} ${number}`}
            onPress={() => write(withStepInside(steps, path), [...path, paths.length])}
          />
          <Moves path={path} called={`${called} ${number}`} />
          <Action
            label={`Remove ${called}`}
            name={`Remove ${called} ${number}`}
            onPress={() => write(withoutStep(steps, path), path.slice(0, -1))}
          />
        </span>
      )}
    </fieldset>
  );
}

function GroupParts({ path, step }: { path: StepPath; step: GroupStep }) {
  if (step.parts.length === 0) return <p className="small quiet">Takes no row.</p>;
  return step.parts.map((_, index) => {
    const inner = [...path, index];
    return step.order === "sequence" ? (
      <div key={stepNumber(inner)} className="step-part">
        <StepForm path={inner} isPart={false} />
      </div>
    ) : (
      <Part key={stepNumber(inner)} path={inner} group={step} />
    );
  });
}

const GROUP_NAMES = { sequence: "group", branches: "alternatives", permute: "in any order" };

function StepForm({ path, isPart }: { path: StepPath; isPart: boolean }) {
  const { scope, node, steps, write } = useSteps();
  const step = stepAt(steps, path);
  if (step === undefined) return null;
  const number = stepNumber(path);
  const name = step.kind === "group" ? GROUP_NAMES[step.order] : step.variable;
  return (
    <fieldset className="stack row-form" tabIndex={-1} data-step={number} aria-label={`Step ${number}: ${name}`}>
      <p className="small">
        <strong>
          Step {number}
          {step.kind === "group" ? `: ${name}` : ""}
        </strong>
      </p>
      <StepFields
        scope={scope}
        node={node}
        step={step}
        mayBeAbsent={mayBeAbsent(steps, path)}
        onChange={(next) => write(withStep(steps, path, next))}
        onRename={(to) =>
          step.kind === "group"
            ? undefined
            : write(withStep(steps, path, { ...step, variable: to }), undefined, { from: step.variable, to })
        }
        onOrder={(order) => write(ordered(steps, path, order))}
      />
      {step.kind === "group" ? <GroupParts path={path} step={step} /> : null}
      {scope.readOnly ? null : <StepActions path={path} step={step} isPart={isPart} />}
    </fieldset>
  );
}

/** Return a list's element, in which the keyboard continues at a step once the pattern has changed. */
function useFocus(pattern: string) {
  const list = useRef<HTMLFieldSetElement>(null);
  const wanted = useRef<StepPath | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the steps exist once the pattern has changed
  useEffect(() => {
    if (wanted.current === null) return;
    list.current?.querySelector<HTMLElement>(`[data-step="${stepNumber(wanted.current)}"]`)?.focus();
    wanted.current = null;
  }, [pattern]);
  return { list, wanted };
}

/** The steps of a pattern as a form; a sentence for a pattern that the form can't show. */
export function SequenceSteps({ scope, node }: { scope: FormScope; node: SequenceNode }) {
  const { act } = useDesigner();
  const { list, wanted } = useFocus(node.pattern);
  const { steps, hidden } = stepsOf(node.pattern);
  if (steps === undefined) return <p className="note small">{HIDDEN[hidden]}</p>;
  const write: StepsForm["write"] = (next, focus, renamed) => {
    wanted.current = focus ?? null;
    const fields = fieldsAfter(node, steps, next, renamed);
    act.edit({ do: "set", id: node.id, fields }, `set ${node.id} pattern`);
  };
  const add = () => {
    const next = withNewStep(steps);
    write(next, [next.length - (next.at(-1)?.kind === "absent" ? 2 : 1)]);
  };
  return (
    <StepsContext value={{ scope, node, steps, write }}>
      <fieldset className="stack group" ref={list}>
        <legend>Steps</legend>
        {steps.length === 0 ? <p className="small quiet">The pattern takes no row.</p> : null}
        {steps.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity other than their position
          <StepForm key={index} path={[index]} isPart={false} />
        ))}
        {scope.readOnly ? null : (
          <button type="button" className="button" onClick={add}>
            Add step
          </button>
        )}
      </fieldset>
    </StepsContext>
  );
}
