import { type ReactNode, useId } from "react";
import { describedBy, UnderField, useWrong } from "./FieldFaults";

interface TextFieldProps {
  label: string;
  /** The path of this field in the server's errors. */
  path?: string;
  value: string;
  onChange: (value: string) => void;
  help?: ReactNode;
  required?: boolean;
  mono?: boolean;
}

export function TextField({ label, path, value, onChange, help, required = false, mono = false }: TextFieldProps) {
  const id = useId();
  const wrong = useWrong(path);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={mono ? "mono" : undefined}
        value={value}
        required={required}
        autoComplete="off"
        spellCheck={false}
        {...describedBy(id, wrong, help)}
        onChange={(event) => onChange(event.target.value)}
      />
      <UnderField id={id} wrong={wrong} help={help} />
    </div>
  );
}

interface SelectFieldProps<T extends string> {
  label: string;
  path?: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
  help?: ReactNode;
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, path, value, options, onChange, help } = props;
  const id = useId();
  const wrong = useWrong(path);
  const pick = (chosen: string) => {
    const option = options.find(([name]) => name === chosen);
    if (option !== undefined) onChange(option[0]);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} {...describedBy(id, wrong, help)} onChange={(event) => pick(event.target.value)}>
        {options.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <UnderField id={id} wrong={wrong} help={help} />
    </div>
  );
}

interface CheckFieldProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function CheckField({ label, checked, onChange }: CheckFieldProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
