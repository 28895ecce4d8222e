import { useState } from "react";
import { DraftGuard } from "../../components/DraftGuard";
import { FaultyForm } from "../../components/FieldFaults";
import { ReasonedSubmit } from "../../components/Reasoned";
import { useDrafted } from "../../lib/drafts";
import { useReason } from "../../lib/session";
import type { AdapterKind, StreamBody } from "../../model/api";
import { type FormValues, formFields, readForm } from "../../model/schemaForm";
import {
  formFaults,
  formPaths,
  type StreamForm,
  streamBody,
  withAdapter,
  withoutSecrets,
} from "../../model/streamForm";
import { AdapterFields, FieldsFields, NameFields } from "./formParts";
import { AdvanceFields, TimeFields } from "./timeParts";

/** What is typed; `upon` is the revision of the stored stream on which it was begun. */
export interface TypedStream {
  form: StreamForm;
  options: FormValues;
  upon: string;
  /** What that revision said, as a text. */
  begun: string;
}

interface Props {
  kinds: readonly AdapterKind[];
  /** What the draft is kept under: another for each stream. */
  object: string;
  initial: TypedStream;
  words: readonly [string, string];
  saving: { isPending: boolean; error: Error | null };
  /** Saves; `done` is to be called when it is saved. */
  onSave: (body: StreamBody, typed: TypedStream, done: () => void) => void;
}

function fieldsOf(kinds: readonly AdapterKind[], adapter: string) {
  const kind = kinds.find((each) => each.kind === adapter);
  return kind === undefined ? [] : formFields(kind.options_schema);
}

/** The form of a stream, new or stored; the adapter's part is drawn from its JSON Schema. */
export function StreamEditor({ kinds, object, initial, words, saving, onSave }: Props) {
  const reason = useReason("edit");
  const draft = useDrafted<TypedStream>(object, initial, (typed) => ({
    ...typed,
    options: withoutSecrets(fieldsOf(kinds, typed.form.adapter), typed.options, initial.options),
  }));
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const { form, options } = draft.value;
  const fields = fieldsOf(kinds, form.adapter);
  const change = (part: Partial<StreamForm>) => draft.change({ ...draft.value, form: { ...form, ...part } });
  const choose = (adapter: string) => {
    const known = kinds.find((each) => each.kind === adapter)?.fields ?? null;
    draft.change({ ...draft.value, form: withAdapter(form, adapter, known), options: {} });
  };
  const submit = () => {
    if (reason !== null || saving.isPending) return;
    const read = readForm(fields, options);
    const inOptions = Object.entries(read.wrong).map(([path, words]) => [`adapter.options.${path}`, words]);
    const found = { ...formFaults(form), ...Object.fromEntries(inOptions) };
    setWrong(found);
    if (Object.keys(found).length === 0) onSave(streamBody(form, read.options), draft.value, draft.done);
  };
  const changeOptions = (values: FormValues) => draft.change({ ...draft.value, options: values });

  return (
    <>
      <DraftGuard draft={draft} secrets />
      <FaultyForm error={saving.error} wrong={wrong} paths={formPaths(form, fields)} onSubmit={submit}>
        <div className="two">
          <div className="stack start">
            <NameFields form={form} change={change} />
            <FieldsFields form={form} change={change} />
            <TimeFields form={form} change={change} />
            <AdvanceFields form={form} change={change} />
          </div>
          <div className="stack start">
            <AdapterFields
              kinds={kinds}
              form={form}
              onChoose={choose}
              fields={fields}
              options={{ values: options, onChange: changeOptions }}
            />
          </div>
        </div>
        <p className="row">
          <ReasonedSubmit reason={reason}>{saving.isPending ? words[1] : words[0]}</ReasonedSubmit>
        </p>
      </FaultyForm>
    </>
  );
}
