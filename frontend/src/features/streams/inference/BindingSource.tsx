import { SelectField } from "../../../components/forms/Field";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { useBindingChoices, useVersionsOf } from "../../../lib/resources/bindings";
import { outputNodes } from "../../../model/binding/deliveries";
import type { FormValues } from "../../../model/forms/schemaForm";

interface Props {
  values: FormValues;
  onChange: (values: FormValues) => void;
}

function chosenText(values: FormValues, name: string): string {
  const value = values[name];
  return typeof value === "string" ? value : "";
}

/** The binding and the output of its query that the stream reads. */
export function BindingSource({ values, onChange }: Props) {
  const bindings = useBindingChoices();
  const chosen = chosenText(values, "binding");
  const binding = bindings.data?.find((each) => each.id === chosen);
  const versions = useVersionsOf(binding?.query ?? "");
  const nodes = versions.data?.find((each) => each.id === binding?.query_version)?.graph.nodes ?? [];
  const outputs = outputNodes(nodes);
  const output = chosenText(values, "output");
  if (bindings.isError) return <ErrorNote error={bindings.error} onRetry={() => void bindings.refetch()} />;
  if (bindings.data === undefined) return <Waiting>Loading the bindings…</Waiting>;
  if (bindings.data.length === 0) return <p className="quiet">There are no bindings to read results from yet.</p>;
  return (
    <div className="two tight">
      <SelectField
        label="Binding"
        path="adapter.options.binding"
        value={chosen}
        onChange={(next) => onChange({ ...values, binding: next, output: "" })}
        options={[["", "Choose one…"], ...bindings.data.map(({ id, name }) => [id, name] as const)]}
        help="Reads its results as they are committed, with its CTIs."
      />
      <SelectField
        label="Output"
        path="adapter.options.output"
        value={output}
        onChange={(next) => onChange({ ...values, output: next })}
        options={[
          ["", chosen === "" ? "Choose a binding first" : "Choose one…"],
          ...outputs.map((id) => [id, id] as const),
        ]}
        help="An output of its query. Outputs with retractions can't be read."
      />
      <ErrorNote error={versions.error} />
    </div>
  );
}
