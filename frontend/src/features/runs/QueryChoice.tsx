import { SelectField } from "../../components/forms/Field";
import { costWords, FRESHNESS_OPTIONS, type Freshness } from "../../model/run/freshness";

const SHARED = "shared";
const DEDICATED = "dedicated";

interface Props {
  dedicated: boolean;
  onChange: (dedicated: boolean) => void;
}

/** A choice of carrier: shared with other bindings, or the binding's own. */
export function QueryChoice({ dedicated, onChange }: Props) {
  return (
    <SelectField
      label="Runs"
      value={dedicated ? DEDICATED : SHARED}
      onChange={(chosen) => onChange(chosen === DEDICATED)}
      options={[
        [SHARED, "in the shared carrier, with other bindings"],
        [DEDICATED, "in its own carrier"],
      ]}
      help="A carrier is one streaming job on Spark. Its own carrier is faster for large volumes, and needs about half a core and 300 MB."
    />
  );
}

interface FreshnessProps {
  value: Freshness;
  onChange: (value: Freshness) => void;
  /** The duration of the last batch of its run; null if unknown. */
  batchSeconds?: number | null;
}

/** The maximum time before rows are read, with its estimated cost. */
export function FreshnessChoice({ value, onChange, batchSeconds = null }: FreshnessProps) {
  const cost =
    batchSeconds === null
      ? "Fresher results cost more: each batch takes several tenths of a second, even with few rows."
      : costWords(value, batchSeconds);
  return (
    <SelectField
      label="Freshness"
      path="freshness"
      value={value}
      onChange={onChange}
      options={FRESHNESS_OPTIONS}
      help={`The longest time before a batch reads new rows. Without new rows, no batch runs. ${cost}`}
    />
  );
}

const LEVELS: readonly number[] = [99, 99.5, 99.9, 99.95, 99.99, 99.999];

interface CompletenessProps {
  /** Percent; undefined in an old draft. */
  value: number | undefined;
  onChange: (value: number) => void;
}

/** The share of received rows that must be in results; it decides how many rows may be lost. */
export function CompletenessChoice({ value = 99.9, onChange }: CompletenessProps) {
  const levels = LEVELS.includes(value) ? LEVELS : [...LEVELS, value].toSorted((one, other) => one - other);
  return (
    <SelectField
      label="Completeness"
      path="completeness"
      value={String(value)}
      onChange={(level) => onChange(Number(level))}
      options={levels.map((level) => [String(level), `${level} %`] as const)}
      help="The share of received rows that must be in results within 30 days. The rest is the loss budget."
    />
  );
}
