import { useState } from "react";
import { ReasonedSubmit } from "../../components/actions/Reasoned";
import { DeliveryList } from "../../components/deliveries/DeliveryList";
import { DraftGuard } from "../../components/forms/DraftGuard";
import { SelectField } from "../../components/forms/Field";
import { FaultyForm, Named } from "../../components/forms/FieldFaults";
import { SchemaForm } from "../../components/forms/SchemaForm";
import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { useReason, useSlug } from "../../lib/account/session";
import { BINDING_FORMS, outputsDraft, useDrafted } from "../../lib/drafts/drafts";
import { useOutputKinds } from "../../lib/resources/adapterKinds";
import { useVersionsOf } from "../../lib/resources/bindings";
import type { AdapterKind, BindingResponse } from "../../model/api";
import { settingsOf } from "../../model/binding/bindingForm";
import { type OutputTyped, outputNodes, outputPaths, readOutputs, titlesOf } from "../../model/binding/deliveries";
import { formFields } from "../../model/forms/schemaForm";
import { optionValues, withoutSecrets } from "../../model/stream/streamForm";
import { OutputsTrial } from "./OutputsTrial";
import { useChangeBinding } from "./requests";

interface Typed {
  outputs: readonly OutputTyped[];
}

function fieldsIn(kinds: readonly AdapterKind[]) {
  return (kind: string) => {
    const known = kinds.find((each) => each.kind === kind);
    return known === undefined ? [] : formFields(known.options_schema);
  };
}

function typedOf({ outputs }: BindingResponse, kinds: readonly AdapterKind[]): Typed {
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
            Options
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
            label="Target"
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
          Remove output
        </button>
      </p>
    </fieldset>
  );
}

interface FormProps {
  binding: BindingResponse;
  kinds: readonly AdapterKind[];
  nodes: readonly string[];
  onSaved: () => void;
}

function useOutputsDraft(binding: BindingResponse, kinds: readonly AdapterKind[]) {
  const [begun] = useState(() => ({ typed: typedOf(binding, kinds), upon: binding.revision }));
  const fieldsOf = fieldsIn(kinds);
  const draft = useDrafted<Typed>(outputsDraft(binding.id), begun.typed, ({ outputs }) => ({
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
  const save = async () => {
    if (reason !== null || saving.isPending) return false;
    const read = readOutputs(outputs, fieldsOf);
    setWrong(read.wrong);
    if (Object.keys(read.wrong).length > 0) return false;
    const body = { ...settingsOf(binding), outputs: read.outputs, upon };
    try {
      await saving.mutateAsync({ body, onStored: draft.done });
    } catch {
      return false; // the form shows why
    }
    onSaved();
    return true;
  };
  return (
    <>
      <DraftGuard secrets draft={draft} what={BINDING_FORMS.outputs} save={save} />
      <FaultyForm
        error={saving.error}
        wrong={wrong}
        paths={outputPaths(outputs, fieldsOf)}
        onSubmit={() => void save()}
      >
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
        Add output
      </button>
      {dirty ? (
        <>
          <ReasonedSubmit reason={reason}>{pending ? "Saving…" : "Save outputs"}</ReasonedSubmit>
          <span className="quiet">Applies at once, also to an active run: all stored results are delivered.</span>
        </>
      ) : null}
    </p>
  );
}

/** The outputs of a binding: their delivery progress, and the form that changes them. */
export function OutputsPanel({ binding, onSaved }: { binding: BindingResponse; onSaved: () => void }) {
  const kinds = useOutputKinds();
  const versions = useVersionsOf(binding.query);
  const error = kinds.error ?? versions.error;
  const version = versions.data?.find((each) => each.id === binding.query_version);
  return (
    <Panel
      title="Outputs"
      note="Results always stay on the run page. Each output also receives all stored results, each batch exactly once; a webhook at least once"
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
