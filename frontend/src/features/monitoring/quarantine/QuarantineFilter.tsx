import { useEffect, useId, useState } from "react";
import type { RunResponse } from "../../../model/api";
import { EVERYTHING, type LateChoice } from "../../../model/results/quarantineFilters";
import { OUTCOME_WORDS, OUTCOMES, REASON_WORDS } from "../../../model/run/outcomes";

const LISTED = OUTCOMES.filter((outcome) => outcome !== "on_time" && outcome !== "reordered");
const SETTLED_MS = 400;
/** On wide screens the filters are open initially. */
const WIDE = "(min-width: 700px)";

interface ChoiceFieldProps {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}

function ChoiceField({ label, value, options, onChange }: ChoiceFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">all</option>
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

interface TypedFieldProps {
  label: string;
  example?: string;
  value: string;
  onChange: (value: string) => void;
}

/** A text field that applies its value once typing has paused. */
function TypedField({ label, example, value, onChange }: TypedFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onChange(typed), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        value={typed}
        placeholder={example}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}

function TimeField({ label, value, onChange }: TypedFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label} (UTC)</label>
      <input id={id} type="datetime-local" step={1} value={value} onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}

interface Props {
  run: RunResponse;
  choice: LateChoice;
  onChange: (choice: LateChoice) => void;
}

/** Filters of late and malformed rows; a change applies at once. */
export function QuarantineFilter({ run, choice, onChange }: Props) {
  const [open, setOpen] = useState(() => window.matchMedia(WIDE).matches);
  const put = (name: keyof LateChoice) => (value: string) => onChange({ ...choice, [name]: value });
  const inputs = Object.keys(run.progress?.inputs ?? {}).map((name) => [name, name] as const);
  const outcomes = LISTED.map((outcome) => [outcome, OUTCOME_WORDS[outcome].label] as const);
  const some = Object.entries(choice).some(([name, value]) => value !== EVERYTHING[name as keyof LateChoice]);
  return (
    <details className="folded padded" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Filters{some ? ", some active" : ""}</summary>
      <search className="filters padded" aria-label="Filters of late and malformed rows">
        <ChoiceField label="Outcome" value={choice.outcome} options={outcomes} onChange={put("outcome")} />
        <ChoiceField
          label="Reason"
          value={choice.reason}
          options={Object.entries(REASON_WORDS)}
          onChange={put("reason")}
        />
        <ChoiceField label="Input" value={choice.input} options={inputs} onChange={put("input")} />
        <TypedField label="Lane" value={choice.lane} onChange={put("lane")} />
        <TypedField label="Row contains" value={choice.text} onChange={put("text")} />
        <TimeField label="Starts since" value={choice.since} onChange={put("since")} />
        <TimeField label="Starts before" value={choice.until} onChange={put("until")} />
        <TypedField label="Late by up to" example="1h" value={choice.lateBy} onChange={put("lateBy")} />
        {some ? (
          <button type="button" className="link" onClick={() => onChange(EVERYTHING)}>
            Clear filters
          </button>
        ) : null}
      </search>
    </details>
  );
}
