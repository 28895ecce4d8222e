/** One input component for each role of a node's field. */

import { useEffect, useId, useState } from "react";
import { CheckField, SelectField } from "../../../components/forms/Field";
import { UnderField } from "../../../components/forms/FieldFaults";
import { type DurationUnit, durationOf, partsOf, UNIT_WORDS, UNITS } from "../../../model/graph/edit/durations";

export interface FieldTexts {
  label: string;
  help?: string | undefined;
  /** The error of this field. */
  wrong?: string | undefined;
  readOnly: boolean;
}

/** Return text that is applied as soon as it is valid, and stays in the field while it isn't. */
export function useTyped(value: string, commit: (typed: string) => string | null) {
  const [typed, setTyped] = useState(value);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    setTyped(value);
    setProblem(null);
  }, [value]);
  const type = (next: string) => {
    setTyped(next);
    setProblem(commit(next));
  };
  return { typed, problem, type };
}

interface TypedFieldProps extends FieldTexts {
  value: string;
  /** Apply the typed text, or return why it is invalid. */
  commit: (typed: string) => string | null;
  mono?: boolean;
  list?: readonly string[];
}

export function TypedField({ label, help, wrong, readOnly, value, commit, mono = true, list }: TypedFieldProps) {
  const id = useId();
  const { typed, problem, type } = useTyped(value, commit);
  const message = problem ?? wrong;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={mono ? "mono" : undefined}
        value={typed}
        readOnly={readOnly}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={message !== undefined}
        aria-describedby={message !== undefined ? `${id}-wrong` : help === undefined ? undefined : `${id}-help`}
        list={list === undefined ? undefined : `${id}-list`}
        onChange={(event) => type(event.target.value)}
      />
      {list === undefined ? null : (
        <datalist id={`${id}-list`}>
          {list.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <UnderField id={id} wrong={message} help={help} />
    </div>
  );
}

interface DurationFieldProps extends FieldTexts {
  value: string | number | null;
  nullable: boolean;
  onChange: (value: string | number | null) => void;
}

/** A number with a unit, or ISO 8601 text. */
export function DurationField({ label, help, wrong, readOnly, value, nullable, onChange }: DurationFieldProps) {
  const id = useId();
  const serialized = JSON.stringify(value);
  const [parts, setParts] = useState(() => partsOf(value));
  useEffect(() => {
    const next = JSON.parse(serialized) as string | number | null;
    setParts((before) => (durationOf(before) === next ? before : partsOf(next)));
  }, [serialized]);
  const change = (next: { count?: string; unit?: DurationUnit }) => {
    const turned = { ...parts, ...next };
    setParts(turned);
    const message = durationOf(turned);
    if (message !== undefined && (message !== null || nullable)) onChange(message);
  };
  const message = durationOf(parts);
  const missing = message === null && !nullable;
  const iso = parts.unit === "text" ? "Invalid duration. Enter for example PT5M." : "Enter a whole number.";
  const problem = missing ? "This field is required." : message === undefined ? iso : wrong;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="duration">
        <input
          id={id}
          className="mono"
          value={parts.count}
          readOnly={readOnly}
          inputMode={parts.unit === "text" ? "text" : "numeric"}
          autoComplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : `${id}-wrong`}
          onChange={(event) => change({ count: event.target.value })}
        />
        <select
          aria-label={`Unit of ${label}`}
          value={parts.unit}
          disabled={readOnly}
          onChange={(event) => change({ unit: event.target.value as DurationUnit })}
        >
          {[...UNITS, "text" as const].map((unit) => (
            <option key={unit} value={unit}>
              {UNIT_WORDS[unit]}
            </option>
          ))}
        </select>
      </span>
      <UnderField id={id} wrong={problem} help={help} />
    </div>
  );
}

interface NumberFieldProps extends FieldTexts {
  value: number | null;
  nullable: boolean;
  whole: boolean;
  onChange: (value: number | null) => void;
}

const MOST = 10_000;

function numberIn(text: string, whole: boolean): number | null {
  const read = Number(text);
  if (text === "" || Number.isNaN(read)) return null;
  const fits = whole ? Number.isInteger(read) && read > 0 && read <= MOST : read >= 0 && read <= 1;
  return fits ? read : null;
}

export function NumberField({ value, nullable, whole, onChange, ...message }: NumberFieldProps) {
  const commit = (typed: string) => {
    const text = typed.trim();
    const read = numberIn(text, whole);
    if (read !== null || (text === "" && nullable)) {
      onChange(read);
      return null;
    }
    return whole ? "Enter a whole number from 1 to 10,000." : "Enter a number from 0 to 1, for example 0.95.";
  };
  return <TypedField {...message} value={value === null ? "" : String(value)} commit={commit} />;
}

interface ChoiceFieldProps extends FieldTexts {
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}

export function ChoiceField({ label, help, wrong, readOnly, value, options, onChange }: ChoiceFieldProps) {
  const known = options.some(([name]) => name === value);
  const all = known ? options : ([[value, value], ...options] as const);
  const serialized = wrong === undefined ? help : <span className="wrong">{wrong}</span>;
  const change = (next: string) => (readOnly ? undefined : onChange(next));
  return (
    <SelectField
      label={label}
      value={value}
      options={all}
      onChange={change}
      {...(serialized === undefined ? {} : { help: serialized })}
    />
  );
}

interface FieldsChoiceProps extends FieldTexts {
  value: readonly string[];
  /** The incoming fields, as far as known. */
  known: readonly string[];
  onChange: (value: string[]) => void;
}

/** A selection of incoming fields, in the order in which they were selected. */
export function FieldsChoice({ label, help, wrong, readOnly, value, known, onChange }: FieldsChoiceProps) {
  const all = [...new Set([...known, ...value])];
  const turn = (name: string) => {
    if (readOnly) return;
    onChange(value.includes(name) ? value.filter((each) => each !== name) : [...value, name]);
  };
  return (
    <fieldset className="field group-of-checks">
      <legend>{label}</legend>
      {all.length === 0 ? <p className="help">Fields are available once the nodes before it have no errors.</p> : null}
      <span className="row">
        {all.map((name) => (
          <CheckField key={name} label={name} checked={value.includes(name)} onChange={() => turn(name)} />
        ))}
      </span>
      {wrong === undefined ? null : <span className="wrong">{wrong}</span>}
      {help === undefined ? null : <span className="help">{help}</span>}
    </fieldset>
  );
}
