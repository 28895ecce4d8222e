import { useId } from "react";
import { useTyped } from "./fields";

interface NameFieldProps {
  label: string;
  value: string;
  readOnly: boolean;
  /** Return why a name can't be used; null for a valid one. */
  problemOf: (typed: string) => string | null;
  onChange: (value: string) => void;
}

/** A name that is applied when it is complete: on Enter, or when the field loses focus. */
export function NameField({ label, value, readOnly, problemOf, onChange }: NameFieldProps) {
  const id = useId();
  const { typed, problem, type } = useTyped(value, problemOf);
  const take = () => {
    if (problem === null && typed !== value) onChange(typed);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="mono"
        value={typed}
        readOnly={readOnly}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== null}
        onChange={(event) => type(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => (event.key === "Enter" ? take() : undefined)}
      />
      {problem === null ? null : (
        <span className="wrong" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}
