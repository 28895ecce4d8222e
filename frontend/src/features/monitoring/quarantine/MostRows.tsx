import { useId } from "react";

const MOST_AGAIN = 100_000;

/** The limit for input rows to read again. */
export function MostRows({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Input rows to read again, at most</label>
      <input
        id={id}
        type="number"
        min={1}
        max={MOST_AGAIN}
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <p className="hint">More rows reach further back but take longer.</p>
    </div>
  );
}
