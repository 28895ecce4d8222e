import { useState } from "react";
import { Link } from "react-router";
import { Ask } from "../../components/Ask";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { ReasonedButton } from "../../components/Reasoned";
import { useReason, useSlug } from "../../lib/session";
import type { QueryShown } from "../../model/api";
import { BindingForm } from "./BindingForm";
import { useCreateBinding, useQueryChoices } from "./queries";

function Creating({ queries, onDone }: { queries: readonly QueryShown[]; onDone: () => void }) {
  const { mutate, isPending, error } = useCreateBinding();
  const creating = {
    mutate: (body: Parameters<typeof mutate>[0], then: { onSuccess: () => void }) => {
      const onSuccess = () => {
        then.onSuccess();
        onDone();
      };
      mutate(body, { onSuccess });
    },
    isPending,
    error,
  };
  return <BindingForm queries={queries} creating={creating} onCancel={onDone} />;
}

/** Binds the newest version of a query to the streams that it names. */
export function NewBinding() {
  const slug = useSlug();
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
        {queries.data?.length === 0 ? (
          <Empty title="There is no query to bind yet.">
            <p>
              <Link to={`/t/${slug}/queries/new`}>Write a query</Link> first.
            </p>
          </Empty>
        ) : null}
        {queries.data !== undefined && queries.data.length > 0 ? (
          <Creating queries={queries.data} onDone={close} />
        ) : null}
      </Ask>
    </>
  );
}
