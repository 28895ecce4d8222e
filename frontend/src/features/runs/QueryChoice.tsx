import { SelectField } from "../../components/Field";

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
        [SHARED, "in the carrier that all others share"],
        [DEDICATED, "in a carrier of its own"],
      ]}
      help="Runs in a carrier of its own, which is one streaming job on Spark: faster for much data, costs about half a core and 300 MB."
    />
  );
}
