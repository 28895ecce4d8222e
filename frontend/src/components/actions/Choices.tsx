interface ChoicesProps<T extends string | number> {
  label: string;
  options: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
}

/** A few options with exactly one selected. */
export function Choices<T extends string | number>({ label, options, value, onChange }: ChoicesProps<T>) {
  return (
    <fieldset className="choices" aria-label={label}>
      {options.map(([option, words]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}
