import { SelectField } from "../../components/Field";
import { costWords, FRESHNESS_OPTIONS, type Freshness } from "../../model/freshness";

const SHARED = "shared";
const DEDICATED = "dedicated";

interface Props {
  dedicated: boolean;
  onChange: (dedicated: boolean) => void;
}

/** Whether the runs of a binding share a carrier with others or have one of their own. */
export function QueryChoice({ dedicated, onChange }: Props) {
  return (
    <SelectField
      label="Runs"
      value={dedicated ? DEDICATED : SHARED}
      onChange={(chosen) => onChange(chosen === DEDICATED)}
      options={[
        [SHARED, "in the shared carrier, with other bindings"],
        [DEDICATED, "in a carrier of its own"],
      ]}
      help="A carrier is one streaming job on Spark. One of its own is faster for much data, and costs about half a core and 300 MB."
    />
  );
}

interface FreshnessProps {
  value: Freshness;
  onChange: (value: Freshness) => void;
  /** How long the last batch of its run took; null where none is known. */
  batchSeconds?: number | null;
}

/** How long rows may wait before they are read, and what that costs by what was measured. */
export function FreshnessChoice({ value, onChange, batchSeconds = null }: FreshnessProps) {
  const cost =
    batchSeconds === null
      ? "Fresher costs more: a batch takes some tenths of a second, however few rows."
      : costWords(value, batchSeconds);
  return (
    <SelectField
      label="How fresh results must be"
      path="freshness"
      value={value}
      onChange={onChange}
      options={FRESHNESS_OPTIONS}
      help={`Rows wait at most so long before a batch reads them; without new rows there is none. ${cost}`}
    />
  );
}
