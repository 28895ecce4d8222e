import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedButton } from "../../components/Reasoned";
import { useReason, useSlug } from "../../lib/session";
import { startingText } from "../../model/graphText";
import { savingReason, useDraft } from "./draft";
import { GraphEditor } from "./GraphEditor";
import { useCreateQuery, useStreamNames } from "./queries";

function NewQuery({ stream }: { stream: string | null }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const [beginning] = useState(() => startingText(stream ?? "my_stream"));
  const draft = useDraft(beginning);
  const creating = useCreateQuery();
  const edit = useReason("edit");
  const create = () => {
    if (draft.storable === null || creating.isPending) return;
    creating.mutate(draft.storable, { onSuccess: (query) => void navigate(`/t/${slug}/queries/${query.id}`) });
  };
  return (
    <>
      <PageHead
        title="New query"
        crumb={{ to: `/t/${slug}/queries`, label: "Queries" }}
        actions={
          <ReasonedButton reason={edit ?? savingReason(draft)} kind="primary" onClick={create}>
            {creating.isPending ? "Creating…" : "Create the query"}
          </ReasonedButton>
        }
      />
      <ErrorNote error={creating.error} />
      {stream === null ? (
        <Notice tone="unknown">
          <p>
            There is no stream to read yet. <Link to={`/t/${slug}/streams/new`}>Create a stream</Link> first: its fields
            are then offered here as you type.
          </p>
        </Notice>
      ) : null}
      <GraphEditor draft={draft} readOnly={false} />
    </>
  );
}

/** A new query, begun as a count by minute over the first stream. */
export function NewQueryPage() {
  const streams = useStreamNames();
  if (streams.isPending) return <Waiting>Loading the names of the streams…</Waiting>;
  if (streams.isError) return <ErrorNote error={streams.error} onRetry={() => void streams.refetch()} />;
  return <NewQuery stream={streams.data[0] ?? null} />;
}
