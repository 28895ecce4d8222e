import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedSubmit } from "../../components/Reasoned";
import { useReason, useSlug } from "../../lib/session";
import type { AdapterKind } from "../../model/api";
import { type FormValues, formFields, readForm } from "../../model/schemaForm";
import { EMPTY_FORM, type StreamForm, streamBody, withAdapter } from "../../model/streamForm";
import { AdapterFields, FieldsFields, NameFields } from "./formParts";
import { useAdapterKinds, useCreateStream } from "./queries";
import { AdvanceFields, TimeFields } from "./timeParts";

interface CreateFormProps {
  kinds: readonly AdapterKind[];
}

function CreateForm({ kinds }: CreateFormProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const creating = useCreateStream();
  const reason = useReason("edit");
  const [form, setForm] = useState<StreamForm>({ ...EMPTY_FORM, adapter: kinds[0]?.kind ?? "" });
  const [options, setOptions] = useState<FormValues>({});
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const change = (part: Partial<StreamForm>) => setForm((before) => ({ ...before, ...part }));
  const choose = (adapter: string) => {
    setOptions({});
    setForm((before) => withAdapter(before, adapter, kinds.find((each) => each.kind === adapter)?.fields ?? null));
  };
  const kind = kinds.find((each) => each.kind === form.adapter);
  const fields = kind === undefined ? [] : formFields(kind.options_schema);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== null || creating.isPending) return;
    const read = readForm(fields, options);
    setWrong(read.wrong);
    if (Object.keys(read.wrong).length > 0) return;
    creating.mutate(streamBody(form, read.options), {
      onSuccess: (stream) => void navigate(`/t/${slug}/streams/${stream.id}`),
    });
  };

  return (
    <form className="stack" onSubmit={submit}>
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
            options={{ values: options, wrong, onChange: setOptions }}
          />
        </div>
      </div>
      <ErrorNote error={creating.error} />
      <p className="row">
        <ReasonedSubmit reason={reason}>{creating.isPending ? "Creating…" : "Create the stream"}</ReasonedSubmit>
        {Object.keys(wrong).length > 0 ? <span className="quiet">Mend the marked options first.</span> : null}
      </p>
    </form>
  );
}

/** A form for a new stream; the adapter's part is drawn from its JSON Schema. */
export function NewStreamPage() {
  const slug = useSlug();
  const kinds = useAdapterKinds();
  return (
    <>
      <PageHead title="New stream" crumb={{ to: `/t/${slug}/streams`, label: "Streams" }} />
      <ErrorNote error={kinds.error} onRetry={() => void kinds.refetch()} />
      {kinds.isPending ? <Waiting>Loading the kinds of adapter…</Waiting> : null}
      {kinds.data === undefined ? null : <CreateForm kinds={kinds.data} />}
    </>
  );
}
