import { SelectField, TextField } from "../../components/Field";

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

/** How long may pass between two batches of a binding; empty: as long as the product says. */
export function Freshness({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label="How fresh results must be (optional)"
      path="freshness"
      value={value}
      onChange={onChange}
      help="At most this long between two batches, such as 200ms; a second if empty. Fresher costs more."
    />
  );
}
