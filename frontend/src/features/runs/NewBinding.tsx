import { type FormEvent, useState } from "react";
import { Ask } from "../../components/Ask";
import { SelectField, TextField } from "../../components/Field";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { ReasonedButton } from "../../components/Reasoned";
import { useReason } from "../../lib/session";
import type { QueryShown } from "../../model/api";
import { useCreateBinding, useQueryChoices } from "./queries";

function BindingForm({ queries, onDone }: { queries: readonly QueryShown[]; onDone: () => void }) {
  const creating = useCreateBinding();
  const [chosen, setChosen] = useState(queries[0]?.id ?? "");
  const [name, setName] = useState(queries[0]?.name ?? "");
  const query = queries.find((each) => each.id === chosen);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (query === undefined) return;
    creating.mutate({ name: name.trim(), query_version: query.current.id }, { onSuccess: onDone });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <SelectField
        label="Query"
        value={chosen}
        onChange={setChosen}
        options={queries.map((each) => [each.id, `${each.name}, version ${each.current.number}`] as const)}
        help="Each input takes the stream that the query names."
      />
      <TextField label="Name of the binding" value={name} onChange={setName} required />
      <ErrorNote error={creating.error} />
      <p className="row">
        <button type="submit" className="button" data-kind="primary" disabled={creating.isPending}>
          {creating.isPending ? "Creating…" : "Create the binding"}
        </button>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </p>
    </form>
  );
}

/** Binds the newest version of a query to the streams that it names. */
export function NewBinding() {
  const reason = useReason("edit");
  const [open, setOpen] = useState(false);
  const queries = useQueryChoices(open);
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setOpen(true)}>
        New binding…
      </ReasonedButton>
      <Ask title="New binding" open={open} onClose={close}>
        {queries.isPending ? <Waiting>Loading the queries…</Waiting> : null}
        <ErrorNote error={queries.error} />
        {queries.data?.length === 0 ? <Empty title="There is no query to bind yet.">Write one first.</Empty> : null}
        {queries.data !== undefined && queries.data.length > 0 ? (
          <BindingForm queries={queries.data} onDone={close} />
        ) : null}
      </Ask>
    </>
  );
}
