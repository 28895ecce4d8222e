/** The steps of a sequence: variables, how often each takes a row, and their conditions. */

import { CheckField } from "../../../components/forms/Field";
import type { SequenceNode } from "../../../messages/definition/summary";
import { isVariable } from "../../../model/graph/sequences/pattern";
import { conditionsAfter, type Step, stepsOf, textOfSteps } from "../../../model/graph/sequences/steps";
import { freeName } from "../../../model/text/freeName";
import { useDesigner } from "../page/designer";
import { ExpressionField } from "./ExpressionField";
import { ChoiceField, DurationField, TypedField } from "./fields";
import { type FormScope, wrongAt } from "./formScope";
import { NameField } from "./NameField";

const TIMES: Readonly<Record<string, readonly [number, number | null]>> = {
  once: [1, 1],
  "1 or more": [1, null],
  "any number": [0, null],
  optional: [0, 1],
};
const BOUNDED = "from … to …";
const ABSENT = "absent for …";

function timesOf({ least, most, absentFor }: Step): string {
  if (absentFor !== null) return ABSENT;
  return Object.keys(TIMES).find((name) => TIMES[name]?.[0] === least && TIMES[name]?.[1] === most) ?? BOUNDED;
}

function withTimes(step: Step, times: string): Step {
  if (times === ABSENT) return { ...step, least: 1, most: 1, reluctant: false, excluded: false, absentFor: "15m" };
  const [least, most] = TIMES[times] ?? [2, 5];
  return { ...step, least, most, reluctant: false, absentFor: null };
}

function wholeNumber(typed: string, least: number): number | null {
  return /^\d{1,9}$/.test(typed) && Number(typed) >= least ? Number(typed) : null;
}

function variableProblem(typed: string): string | null {
  return isVariable(typed) ? null : "Enter a name of letters, digits and _, but not PERMUTE, ABSENT or FOR.";
}

interface StepProps {
  scope: FormScope;
  node: SequenceNode;
  steps: readonly Step[];
  index: number;
  step: Step;
  onChange: (step: Step) => void;
}

function Bounds({ scope, step, onChange }: StepProps) {
  const common = { readOnly: scope.readOnly };
  return (
    <>
      <TypedField
        {...common}
        label="At least"
        value={String(step.least)}
        commit={(typed) => {
          const least = wholeNumber(typed, 0);
          if (least === null || (step.most !== null && least > step.most))
            return "Enter a number that is not above At most.";
          onChange({ ...step, least });
          return null;
        }}
      />
      <TypedField
        {...common}
        label="At most"
        help="Empty: any number."
        value={step.most === null ? "" : String(step.most)}
        commit={(typed) => {
          const most = typed.trim() === "" ? null : wholeNumber(typed, Math.max(1, step.least));
          if (most === null && typed.trim() !== "")
            return "Enter a whole number that is at least 1, and not smaller than “At least”.";
          onChange({ ...step, most });
          return null;
        }}
      />
    </>
  );
}

/** The condition of a variable; without one, it takes any row. */
function Condition({ scope, node, variable }: { scope: FormScope; node: SequenceNode; variable: string }) {
  const { act } = useDesigner();
  const define = node.define ?? [];
  const at = define.findIndex(({ name }) => name === variable);
  const change = (of: string | null) => {
    const others = define.filter(({ name }) => name !== variable);
    const next =
      of === null ? others : at < 0 ? [...define, { name: variable, of }] : define.with(at, { name: variable, of });
    act.edit({ do: "set", id: node.id, fields: { define: next } }, `set ${node.id} define ${variable}`);
  };
  const path = `define[${at}].of`;
  return (
    <ExpressionField
      label={`Condition of ${variable}`}
      help={at < 0 ? "Without a condition, it takes any row." : undefined}
      wrong={at < 0 ? undefined : wrongAt(scope, path)}
      readOnly={scope.readOnly}
      scope={scope}
      path={path}
      nullable
      value={define[at]?.of ?? ""}
      onChange={change}
    />
  );
}

function StepFields(props: StepProps) {
  const { scope, node, steps, index, step, onChange } = props;
  const times = timesOf(step);
  const last = index === steps.length - 1;
  const options = [...Object.keys(TIMES), BOUNDED, ...(last && index > 0 ? [ABSENT] : [])];
  const repeated = step.absentFor === null && (step.least !== 1 || step.most !== 1) && step.least !== step.most;
  return (
    <>
      <NameField
        label="Variable"
        value={step.variable}
        readOnly={scope.readOnly}
        problemOf={variableProblem}
        onChange={(variable) => onChange({ ...step, variable })}
      />
      <ChoiceField
        label="Repetitions"
        readOnly={scope.readOnly}
        value={times}
        options={options.map((each) => [each, each] as const)}
        onChange={(next) => onChange(withTimes(step, next))}
      />
      {times === BOUNDED ? <Bounds {...props} /> : null}
      {step.absentFor === null ? null : (
        <DurationField
          label="Absent for"
          readOnly={scope.readOnly}
          value={step.absentFor}
          nullable={false}
          onChange={(value) => onChange({ ...step, absentFor: String(value) })}
        />
      )}
      {repeated ? (
        <CheckField
          label="As few rows as possible"
          checked={step.reluctant}
          onChange={(reluctant) => (scope.readOnly ? undefined : onChange({ ...step, reluctant }))}
        />
      ) : null}
      <Condition scope={scope} node={node} variable={step.variable} />
    </>
  );
}

/** The steps of a pattern as a list; nothing for a pattern with alternatives or groups, which is edited as text. */
export function SequenceSteps({ scope, node }: { scope: FormScope; node: SequenceNode }) {
  const { act } = useDesigner();
  const steps = stepsOf(node.pattern);
  if (steps === null) return null;
  const write = (next: readonly Step[], at: number) => {
    const fields = { pattern: textOfSteps(next), define: conditionsAfter(node.define ?? [], steps, next, at) };
    act.edit({ do: "set", id: node.id, fields }, `set ${node.id} pattern`);
  };
  const add = () => {
    const variable = freeName(
      "B",
      steps.map((step) => step.variable),
    );
    const step = { variable, least: 1, most: 1, reluctant: false, excluded: false, absentFor: null };
    const at = steps.at(-1)?.absentFor == null ? steps.length : steps.length - 1;
    write(steps.toSpliced(at, 0, step), at);
  };
  return (
    <fieldset className="stack group">
      <legend>Steps</legend>
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity other than their position
        <fieldset key={index} className="stack row-form" aria-label={`Step ${index + 1}: ${step.variable}`}>
          <StepFields
            scope={scope}
            node={node}
            steps={steps}
            index={index}
            step={step}
            onChange={(next) => write(steps.with(index, next), index)}
          />
          {scope.readOnly ? null : (
            <button
              type="button"
              className="link"
              disabled={steps.length === 1}
              aria-label={`Remove step ${index + 1}`}
              onClick={() => write(steps.toSpliced(index, 1), index)}
            >
              Remove
            </button>
          )}
        </fieldset>
      ))}
      {scope.readOnly ? null : (
        <button type="button" className="button" onClick={add}>
          Add step
        </button>
      )}
    </fieldset>
  );
}
