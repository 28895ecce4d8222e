import { useId } from "react";

const MOST_AGAIN = 100_000;
/** Rows that are read again if nobody says how many, as the server has it. */
export const USUAL_AGAIN = 20_000;

/** How many rows of input may be read again. */
export function MostRows({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Rows of input to read again, at most</label>
      <input
        id={id}
        type="number"
        min={1}
        max={MOST_AGAIN}
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <p className="hint">More of them reach further back, and take longer.</p>
    </div>
  );
}
