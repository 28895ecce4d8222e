import { useState } from "react";
import { DeliveryList } from "../../components/DeliveryList";
import { DraftGuard } from "../../components/DraftGuard";
import { SelectField } from "../../components/Field";
import { FaultyForm, Named } from "../../components/FieldFaults";
import { ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { ReasonedSubmit } from "../../components/Reasoned";
import { SchemaForm } from "../../components/SchemaForm";
import { useOutputKinds } from "../../lib/adapterKinds";
import { useVersionsOf } from "../../lib/bindings";
import { useDrafted } from "../../lib/drafts";
import { useReason, useSlug } from "../../lib/session";
import type { AdapterKind, BindingShown } from "../../model/api";
import { type OutputTyped, outputNodes, outputPaths, readOutputs, titlesOf } from "../../model/deliveries";
import { formFields } from "../../model/schemaForm";
import { optionValues, withoutSecrets } from "../../model/streamForm";
import { OutputsTrial } from "./OutputsTrial";
import { bodyOf, useChangeBinding } from "./requests";

interface Typed {
  outputs: readonly OutputTyped[];
}

function fieldsIn(kinds: readonly AdapterKind[]) {
  return (kind: string) => {
    const known = kinds.find((each) => each.kind === kind);
    return known === undefined ? [] : formFields(known.options_schema);
  };
}

function typedOf({ outputs }: BindingShown, kinds: readonly AdapterKind[]): Typed {
  const fieldsOf = fieldsIn(kinds);
  return {
    outputs: outputs.map(({ identity, node, adapter: { kind, options } }) => ({
      identity,
      node,
      kind,
      options: optionValues(fieldsOf(kind), options),
    })),
  };
}

interface OutputFieldsProps {
  place: number;
  output: OutputTyped;
  kinds: readonly AdapterKind[];
  nodes: readonly string[];
  onChange: (output: OutputTyped) => void;
  onRemove: () => void;
}

function OutputFields({ place, output, kinds, nodes, onChange, onRemove }: OutputFieldsProps) {
  const slug = useSlug();
  const kind = kinds.find((each) => each.kind === output.kind);
  const path = `outputs.${place}`;
  const known = nodes.includes(output.node) ? nodes : [...nodes, output.node];
  return (
    <fieldset className="stack group">
      <legend>
        {kind?.title ?? output.kind}
        {output.identity === null ? ", new" : ""}
      </legend>
      {kind === undefined ? null : (
        <p className="quiet small">
          <Named text={kind.help} />{" "}
          <a href={`/t/${slug}/adapters/out/${kind.kind}`} target="_blank" rel="noopener">
            What can be set
          </a>
        </p>
      )}
      <div className="two tight">
        <SelectField
          label="Results of the output"
          path={`${path}.node`}
          value={output.node}
          onChange={(node) => onChange({ ...output, node })}
          options={known.map((node) => [node, node] as const)}
        />
        {output.identity === null ? (
          <SelectField
            label="Goes to"
            path={`${path}.adapter`}
            value={output.kind}
            onChange={(next) => onChange({ ...output, kind: next, options: {} })}
            options={kinds.map((each) => [each.kind, each.title] as const)}
          />
        ) : null}
        <SchemaForm
          fields={kind === undefined ? [] : formFields(kind.options_schema)}
          values={output.options}
          onChange={(options) => onChange({ ...output, options })}
          path={`${path}.adapter.options.`}
        />
      </div>
      <p>
        <button type="button" className="button" onClick={onRemove}>
          Remove this output
        </button>
      </p>
    </fieldset>
  );
}

interface FormProps {
  binding: BindingShown;
  kinds: readonly AdapterKind[];
  nodes: readonly string[];
  onSaved: () => void;
}

function useOutputsDraft(binding: BindingShown, kinds: readonly AdapterKind[]) {
  const [begun] = useState(() => ({ typed: typedOf(binding, kinds), upon: binding.revision }));
  const fieldsOf = fieldsIn(kinds);
  const draft = useDrafted<Typed>(`outputs of ${binding.id}`, begun.typed, ({ outputs }) => ({
    outputs: outputs.map((each) => {
      const stored = begun.typed.outputs.find(({ identity }) => identity !== null && identity === each.identity);
      return { ...each, options: withoutSecrets(fieldsOf(each.kind), each.options, stored?.options ?? {}) };
    }),
  }));
  return { draft, upon: begun.upon, fieldsOf };
}

function OutputsForm({ binding, kinds, nodes, onSaved }: FormProps) {
  const reason = useReason("edit");
  const saving = useChangeBinding(binding.id);
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const { draft, upon, fieldsOf } = useOutputsDraft(binding, kinds);
  const { outputs } = draft.value;
  const put = (next: readonly OutputTyped[]) => draft.change({ outputs: next });
  const add = () =>
    put([...outputs, { identity: null, node: nodes[0] ?? "", kind: kinds[0]?.kind ?? "", options: {} }]);
  const submit = () => {
    if (reason !== null || saving.isPending) return;
    const read = readOutputs(outputs, fieldsOf);
    setWrong(read.wrong);
    if (Object.keys(read.wrong).length > 0) return;
    const body = { ...bodyOf(binding), dedicated: binding.dedicated, outputs: read.outputs, upon };
    const onSuccess = () => {
      draft.done();
      onSaved();
    };
    saving.mutate(body, { onSuccess });
  };
  return (
    <>
      <DraftGuard draft={draft} secrets />
      <FaultyForm error={saving.error} wrong={wrong} paths={outputPaths(outputs, fieldsOf)} onSubmit={submit}>
        {outputs.map((output, place) => (
          <OutputFields
            key={output.identity ?? `new ${place}`}
            place={place}
            output={output}
            kinds={kinds}
            nodes={nodes}
            onChange={(next) => put(outputs.map((each, at) => (at === place ? next : each)))}
            onRemove={() => put(outputs.filter((_, at) => at !== place))}
          />
        ))}
        <FormButtons dirty={draft.dirty()} reason={reason} pending={saving.isPending} onAdd={add} />
        {outputs.length === 0 ? null : (
          <OutputsTrial binding={binding.id} read={() => readOutputs(outputs, fieldsOf)} />
        )}
      </FaultyForm>
    </>
  );
}

interface ButtonsProps {
  dirty: boolean;
  reason: string | null;
  pending: boolean;
  onAdd: () => void;
}

function FormButtons({ dirty, reason, pending, onAdd }: ButtonsProps) {
  return (
    <p className="row">
      <button type="button" className="button" onClick={onAdd}>
        Add an output
      </button>
      {dirty ? (
        <>
          <ReasonedSubmit reason={reason}>{pending ? "Saving…" : "Save the outputs"}</ReasonedSubmit>
          <span className="quiet">
            It holds at once, also for a run that is under way: everything that is kept of its results is delivered.
          </span>
        </>
      ) : null}
    </p>
  );
}

/** Where the results of a binding go beside its page: each output, how far it has come, and the form that changes it. */
export function OutputsPanel({ binding, onSaved }: { binding: BindingShown; onSaved: () => void }) {
  const kinds = useOutputKinds();
  const versions = useVersionsOf(binding.query);
  const error = kinds.error ?? versions.error;
  const version = versions.data?.find((each) => each.id === binding.query_version);
  return (
    <Panel
      title="Where its results go"
      note="Results stay on the run page. Each output here gets all that is kept of them too, each batch once; a webhook at least once."
    >
      <div className="stack">
        <ErrorNote error={error} />
        {binding.outputs.length > 0 ? (
          <DeliveryList binding={binding.id} outputs={binding.outputs} titles={titlesOf(kinds.data)} />
        ) : null}
        {kinds.data !== undefined && versions.data !== undefined ? (
          <OutputsForm
            key={binding.outputs.map(({ identity, revision }) => `${identity} ${revision}`).join()}
            binding={binding}
            kinds={kinds.data}
            nodes={outputNodes(version?.graph.nodes ?? [])}
            onSaved={onSaved}
          />
        ) : error === null ? (
          <Waiting>Loading the kinds of outputs…</Waiting>
        ) : null}
      </div>
    </Panel>
  );
}
