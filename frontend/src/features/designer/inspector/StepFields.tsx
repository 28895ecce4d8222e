/** The fields of one step of a sequence: its variable, how often it is repeated, and its condition. */

import { CheckField } from "../../../components/forms/Field";
import type { SequenceNode } from "../../../messages/definition/summary";
import { isVariable } from "../../../model/graph/sequences/pattern";
import { excludedStep } from "../../../model/graph/sequences/stepEdits";
import { type GroupOrder, isExcluded, ONCE, type Step } from "../../../model/graph/sequences/steps";
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
const ORDERS: readonly (readonly [GroupOrder, string])[] = [
  ["sequence", "one after another"],
  ["branches", "one of them"],
  ["permute", "in any order"],
];

function timesOf(step: Step): string {
  if (step.kind === "absent") return ABSENT;
  const { least, most } = step;
  return Object.keys(TIMES).find((name) => TIMES[name]?.[0] === least && TIMES[name]?.[1] === most) ?? BOUNDED;
}

function withTimes(step: Step, times: string): Step {
  const variable = step.kind === "group" ? "" : step.variable;
  if (times === ABSENT) return { kind: "absent", variable, duration: "15m", ...ONCE };
  const taking: Step = step.kind === "absent" ? { kind: "take", variable, excluded: false, ...ONCE } : step;
  const [least, most] = TIMES[times] ?? [2, 5];
  return { ...taking, least, most, reluctant: least !== most && taking.reluctant };
}

function wholeNumber(typed: string, least: number): number | null {
  return /^\d{1,9}$/.test(typed) && Number(typed) >= least ? Number(typed) : null;
}

function variableProblem(typed: string): string | null {
  return isVariable(typed) ? null : "Enter a name of letters, digits and _, but not PERMUTE, ABSENT or FOR.";
}

export interface StepFieldsProps {
  scope: FormScope;
  node: SequenceNode;
  step: Step;
  /** True if an absence is possible at this place. */
  mayBeAbsent: boolean;
  onChange: (step: Step) => void;
  /** Apply another variable. */
  onRename: (to: string) => void;
  onOrder: (order: GroupOrder) => void;
}

type FieldsProps = Pick<StepFieldsProps, "scope" | "step" | "onChange">;

function Bounds({ scope, step, onChange }: FieldsProps) {
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
          onChange({ ...step, least, reluctant: step.reluctant && least !== step.most });
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
          onChange({ ...step, most, reluctant: step.reluctant && step.least !== most });
          return null;
        }}
      />
    </>
  );
}

/** The number of repetitions, or an absence. */
function Repetitions(props: FieldsProps & { mayBeAbsent: boolean }) {
  const { scope, step, mayBeAbsent, onChange } = props;
  const times = timesOf(step);
  const canBeAbsent = step.kind !== "group" && mayBeAbsent;
  const options = [...Object.keys(TIMES), BOUNDED, ...(canBeAbsent ? [ABSENT] : [])];
  return (
    <>
      <ChoiceField
        label="Repetitions"
        readOnly={scope.readOnly}
        value={times}
        options={options.map((each) => [each, each] as const)}
        onChange={(next) => onChange(withTimes(step, next))}
      />
      {times === BOUNDED ? <Bounds {...props} /> : null}
      {step.least === step.most ? null : (
        <CheckField
          label={step.kind === "group" ? "As few repetitions as possible" : "As few rows as possible"}
          checked={step.reluctant}
          onChange={(reluctant) => (scope.readOnly ? undefined : onChange({ ...step, reluctant }))}
        />
      )}
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

/** The choice to leave rows out of ALL ROWS; without ALL ROWS it has no effect. */
function Excluded({ node, scope, step, onChange }: FieldsProps & { node: SequenceNode }) {
  const excluded = isExcluded(step);
  if (step.kind === "absent" || ((node.rows ?? "one") === "one" && !excluded)) return null;
  return (
    <CheckField
      label="Leave its rows out of the result"
      checked={excluded}
      onChange={(next) => (scope.readOnly ? undefined : onChange(excludedStep(step, next)))}
    />
  );
}

export function StepFields(props: StepFieldsProps) {
  const { scope, node, step, onChange, onRename, onOrder } = props;
  return (
    <>
      {step.kind === "group" ? (
        step.parts.length < 2 ? null : (
          <ChoiceField
            label="Its parts"
            readOnly={scope.readOnly}
            value={step.order}
            options={ORDERS}
            onChange={(order) => onOrder(order as GroupOrder)}
          />
        )
      ) : (
        <NameField
          label="Variable"
          value={step.variable}
          readOnly={scope.readOnly}
          problemOf={variableProblem}
          onChange={onRename}
        />
      )}
      <Repetitions {...props} />
      {step.kind === "absent" ? (
        <DurationField
          label="Absent for"
          readOnly={scope.readOnly}
          value={step.duration}
          nullable={false}
          onChange={(value) => onChange({ ...step, duration: String(value) })}
        />
      ) : null}
      <Excluded {...props} />
      {step.kind === "group" ? null : <Condition scope={scope} node={node} variable={step.variable} />}
    </>
  );
}
