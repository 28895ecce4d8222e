import { SelectField } from "../../components/Field";

const SHARED = "shared";
const DEDICATED = "dedicated";

interface Props {
  dedicated: boolean;
  onChange: (dedicated: boolean) => void;
}

/** Whether the runs of a binding share a streaming query with others or have one of their own. */
export function QueryChoice({ dedicated, onChange }: Props) {
  return (
    <SelectField
      label="Runs"
      value={dedicated ? DEDICATED : SHARED}
      onChange={(chosen) => onChange(chosen === DEDICATED)}
      options={[
        [SHARED, "in the query that all others share"],
        [DEDICATED, "in a query of its own"],
      ]}
      help="Runs in a query of its own: faster for much data, costs about half a core and 300 MB."
    />
  );
}
