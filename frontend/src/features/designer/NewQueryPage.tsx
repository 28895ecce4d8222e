import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearchParams } from "react-router";
import { DraftGuard } from "../../components/DraftGuard";
import { Empty, ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedButton } from "../../components/Reasoned";
import { useFreshOnce } from "../../lib/freshOnce";
import { useReason, useSlug } from "../../lib/session";
import type { QueryGraph } from "../../model/api";
import { freeName } from "../../model/freeName";
import { renamedText, startingText } from "../../model/graphText";
import { savingReason, useDraft } from "./draft";
import { GraphEditor } from "./GraphEditor";
import { ExampleContext, type GuideExample, useExample } from "./page/example";
import {
  useCreateQuery,
  useMoving,
  useQueries,
  useQueryDefinition,
  useStoredStreamNames,
  useStreamNames,
} from "./requests";

const NO_NAMES: readonly string[] = [];

interface NewQueryProps {
  title: string;
  beginning: string;
  object: string;
  streamless?: boolean;
}

/** Why the query cannot be created although it is sound: it reads streams that only the example has. */
function exampleReason(example: GuideExample | null, graph: QueryGraph | null, own: readonly string[]): string | null {
  if (example === null || graph === null) return null;
  const read = graph.nodes.flatMap((node) => (node.kind === "input" ? [node.stream] : []));
  const missing = [...new Set(read)].filter((name) => name in example.streams && !own.includes(name));
  if (missing.length === 0) return null;
  return `It reads ${missing.join(" and ")} of the example. Let it read streams of yours, then it can be created.`;
}

function ExampleNote({ example }: { example: GuideExample }) {
  return (
    <Notice tone="idle">
      <p>
        The example <strong>{example.name}</strong> of the <Link to={`/guide/${example.page}`}>guide</Link>:{" "}
        {example.caption.replaceAll("`", "")} Its times are small numbers, millionths of a second (µs). Its streams and
        rows are only here: change what you like, nothing is stored.
      </p>
    </Notice>
  );
}

function NewQuery({ title, beginning, object, streamless = false }: NewQueryProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const draft = useDraft(beginning, object);
  const creating = useCreateQuery();
  const move = useMoving();
  const edit = useReason("edit");
  const example = useExample();
  const streams = useStoredStreamNames().data ?? NO_NAMES;
  const foreign = exampleReason(example, draft.graph, streams);
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
        title={title}
        crumb={{ to: `/t/${slug}/queries`, label: "Queries" }}
        actions={
          <ReasonedButton reason={edit ?? foreign ?? savingReason(draft)} kind="primary" onClick={create}>
            {creating.isPending ? "Creating…" : "Create the query"}
          </ReasonedButton>
        }
      />
      {example === null ? null : <ExampleNote example={example} />}
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
  const queries = useQueries();
  const taken = useFreshOnce(queries) ? queries.data?.map((each) => each.name) : undefined;
  if (queries.isError) return <ErrorNote error={queries.error} onRetry={() => void queries.refetch()} />;
  if (query.isPending || taken === undefined) return <Waiting>Loading the query that is copied…</Waiting>;
  if (query.isError) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  const { name, current } = query.data;
  const free = freeName(`${name}_copy`, taken);
  const beginning = renamedText(current.text, name, free);
  return <NewQuery title={`Copy of ${name}`} beginning={beginning} object={`copy of query ${id}`} />;
}

/** An example of the guide: streams and rows come with it, and nothing is stored unless it reads one's own streams. */
function ExampleQuery({ name }: { name: string }) {
  const examples = useQuery({
    queryKey: ["guide", "examples"],
    queryFn: async () => (await import("virtual:guide-examples")).EXAMPLES,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (examples.isPending) return <Waiting>Loading the example…</Waiting>;
  if (examples.isError) return <ErrorNote error={examples.error} onRetry={() => void examples.refetch()} />;
  const example = examples.data[name];
  if (example === undefined) {
    return (
      <Empty title={`The guide has no example “${name}”.`}>
        <p>
          Choose one on the pages of the <Link to="/guide">guide</Link>.
        </p>
      </Empty>
    );
  }
  return (
    <ExampleContext value={{ ...example, name }}>
      <NewQuery title={`Example ${name}`} beginning={example.text} object={`example ${name}`} />
    </ExampleContext>
  );
}

/** A new query, begun as a count by minute over the first stream, as a copy of another one, or as an example. */
export function NewQueryPage() {
  const asked = useSearchParams()[0];
  const copied = asked.get("copy");
  const example = asked.get("example");
  if (example !== null) return <ExampleQuery key={example} name={example} />;
  return copied === null ? <BlankQuery /> : <CopiedQuery key={copied} id={copied} />;
}

function BlankQuery() {
  const streams = useStreamNames();
  const fresh = useFreshOnce(streams);
  if (streams.isError) return <ErrorNote error={streams.error} onRetry={() => void streams.refetch()} />;
  if (!fresh || streams.data === undefined) return <Waiting>Loading the names of the streams…</Waiting>;
  const stream = streams.data[0];
  const beginning = startingText(stream ?? "my_stream");
  return <NewQuery title="New query" beginning={beginning} object="new query" streamless={stream === undefined} />;
}
