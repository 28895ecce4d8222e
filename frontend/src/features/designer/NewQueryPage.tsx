import { Link, useNavigate, useSearchParams } from "react-router";
import { DraftGuard } from "../../components/DraftGuard";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedButton } from "../../components/Reasoned";
import { useFreshOnce } from "../../lib/freshOnce";
import { useReason, useSlug } from "../../lib/session";
import { renamedText, startingText } from "../../model/graphText";
import { savingReason, useDraft } from "./draft";
import { GraphEditor } from "./GraphEditor";
import { useCreateQuery, useMoving, useQueryDefinition, useStreamNames } from "./requests";

interface NewQueryProps {
  beginning: string;
  object: string;
  streamless?: boolean;
}

function NewQuery({ beginning, object, streamless = false }: NewQueryProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const draft = useDraft(beginning, object);
  const creating = useCreateQuery();
  const move = useMoving();
  const edit = useReason("edit");
  const create = () => {
    if (draft.storable === null || creating.isPending) return;
    creating.mutate(draft.storable, {
      onSuccess: (query) => {
        draft.kept.done();
        void move(query.id, { ...draft.design.present.positions }).catch(() => undefined); // else it is laid out again
        void navigate(`/t/${slug}/queries/${query.id}`);
      },
    });
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
      <DraftGuard draft={draft.kept} />
      <ErrorNote error={creating.error} />
      {streamless ? (
        <Notice tone="unknown">
          <p>
            There is no stream to read yet. <Link to={`/t/${slug}/streams/new`}>Create a stream</Link> first: its fields
            are then offered here as you type.
          </p>
        </Notice>
      ) : null}
      <GraphEditor draft={draft} readOnly={false} query={null} />
    </>
  );
}

function CopiedQuery({ id }: { id: string }) {
  const query = useQueryDefinition(id);
  if (query.isPending) return <Waiting>Loading the query that is copied…</Waiting>;
  if (query.isError) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  const { name, current } = query.data;
  return <NewQuery beginning={renamedText(current.text, name, `${name}_copy`)} object={`copy of query ${id}`} />;
}

/** A new query, begun as a count by minute over the first stream, or as a copy of another one. */
export function NewQueryPage() {
  const copied = useSearchParams()[0].get("copy");
  return copied === null ? <BlankQuery /> : <CopiedQuery key={copied} id={copied} />;
}

function BlankQuery() {
  const streams = useStreamNames();
  const fresh = useFreshOnce(streams);
  if (streams.isError) return <ErrorNote error={streams.error} onRetry={() => void streams.refetch()} />;
  if (!fresh || streams.data === undefined) return <Waiting>Loading the names of the streams…</Waiting>;
  const stream = streams.data[0];
  const beginning = startingText(stream ?? "my_stream");
  return <NewQuery beginning={beginning} object="new query" streamless={stream === undefined} />;
}
