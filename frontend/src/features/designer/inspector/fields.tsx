/** One input for each role that a field of a node can have. */

import { useEffect, useId, useState } from "react";
import { CheckField, SelectField } from "../../../components/Field";
import { UnderField } from "../../../components/FieldFaults";
import { type DurationUnit, durationOf, partsOf, UNIT_WORDS, UNITS } from "../../../model/graphEdit/durations";

export interface Said {
  label: string;
  help?: string | undefined;
  /** What the checks say of this very field. */
  wrong?: string | undefined;
  readOnly: boolean;
}

/** Text that goes into the graph as soon as it is right, and stays here as long as it is not. */
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

interface TypedFieldProps extends Said {
  value: string;
  /** Takes what was typed, or says why it cannot. */
  commit: (typed: string) => string | null;
  mono?: boolean;
  list?: readonly string[];
}

export function TypedField({ label, help, wrong, readOnly, value, commit, mono = true, list }: TypedFieldProps) {
  const id = useId();
  const { typed, problem, type } = useTyped(value, commit);
  const said = problem ?? wrong;
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
        aria-invalid={said !== undefined}
        aria-describedby={said !== undefined ? `${id}-wrong` : help === undefined ? undefined : `${id}-help`}
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
      <UnderField id={id} wrong={said} help={help} />
    </div>
  );
}

interface DurationFieldProps extends Said {
  value: string | number | null;
  nullable: boolean;
  onChange: (value: string | number | null) => void;
}

/** A number and a unit, or ISO 8601. */
export function DurationField({ label, help, wrong, readOnly, value, nullable, onChange }: DurationFieldProps) {
  const id = useId();
  const told = JSON.stringify(value);
  const [parts, setParts] = useState(() => partsOf(value));
  useEffect(() => {
    const next = JSON.parse(told) as string | number | null;
    setParts((before) => (durationOf(before) === next ? before : partsOf(next)));
  }, [told]);
  const change = (next: { count?: string; unit?: DurationUnit }) => {
    const turned = { ...parts, ...next };
    setParts(turned);
    const said = durationOf(turned);
    if (said !== undefined && (said !== null || nullable)) onChange(said);
  };
  const said = durationOf(parts);
  const missing = said === null && !nullable;
  const iso = parts.unit === "text" ? "This is no duration. Write for example PT5M." : "Write a whole number.";
  const problem = missing ? "This is needed." : said === undefined ? iso : wrong;
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

interface NumberFieldProps extends Said {
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

export function NumberField({ value, nullable, whole, onChange, ...said }: NumberFieldProps) {
  const commit = (typed: string) => {
    const text = typed.trim();
    const read = numberIn(text, whole);
    if (read !== null || (text === "" && nullable)) {
      onChange(read);
      return null;
    }
    return whole ? "Write a whole number from 1 to 10,000." : "Write a number from 0 to 1, such as 0.95.";
  };
  return <TypedField {...said} value={value === null ? "" : String(value)} commit={commit} />;
}

interface ChoiceFieldProps extends Said {
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}

export function ChoiceField({ label, help, wrong, readOnly, value, options, onChange }: ChoiceFieldProps) {
  const known = options.some(([name]) => name === value);
  const all = known ? options : ([[value, value], ...options] as const);
  const told = wrong === undefined ? help : <span className="wrong">{wrong}</span>;
  const change = (next: string) => (readOnly ? undefined : onChange(next));
  return (
    <SelectField
      label={label}
      value={value}
      options={all}
      onChange={change}
      {...(told === undefined ? {} : { help: told })}
    />
  );
}

interface FieldsChoiceProps extends Said {
  value: readonly string[];
  /** What comes in, as far as it is known. */
  known: readonly string[];
  onChange: (value: string[]) => void;
}

/** Some of the fields that come in, in the order in which they are chosen. */
export function FieldsChoice({ label, help, wrong, readOnly, value, known, onChange }: FieldsChoiceProps) {
  const all = [...new Set([...known, ...value])];
  const turn = (name: string) => {
    if (readOnly) return;
    onChange(value.includes(name) ? value.filter((each) => each !== name) : [...value, name]);
  };
  return (
    <fieldset className="field group-of-checks">
      <legend>{label}</legend>
      {all.length === 0 ? <p className="help">The fields are known once what is read is sound.</p> : null}
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
