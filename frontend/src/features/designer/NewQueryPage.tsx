import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearchParams } from "react-router";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { DraftGuard } from "../../components/forms/DraftGuard";
import { Empty, ErrorNote, Notice, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { useReason, useSlug } from "../../lib/account/session";
import { useMoveDraft } from "../../lib/drafts/drafts";
import { useFreshOnce } from "../../lib/freshOnce";
import type { QueryGraph } from "../../model/api";
import { renamedText, startingText } from "../../model/graph/graphText";
import { freeName } from "../../model/text/freeName";
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
import { sampleDraft } from "./simulator/sample/useSample";
import { TemplatesButton } from "./templates/TemplatesButton";

const NO_NAMES: readonly string[] = [];

interface NewQueryProps {
  title: string;
  beginning: string;
  object: string;
  streamless?: boolean;
  /** True for a query that starts from nothing. */
  offersTemplates?: boolean;
}

/** Return why a valid query can't be created: it reads streams that exist only in the example. */
function exampleReason(example: GuideExample | null, graph: QueryGraph | null, own: readonly string[]): string | null {
  if (example === null || graph === null) return null;
  const read = graph.nodes.flatMap((node) => (node.kind === "input" ? [node.stream] : []));
  const missing = [...new Set(read)].filter((name) => name in example.streams && !own.includes(name));
  if (missing.length === 0) return null;
  return `Only the example has ${missing.join(" and ")}. To create the query, read your own streams instead.`;
}

function ExampleNote({ example }: { example: GuideExample }) {
  return (
    <Notice tone="idle">
      <p>
        The example <strong>{example.name}</strong> of the <Link to={`/guide/${example.page}`}>guide</Link>:{" "}
        {example.caption.replaceAll("`", "")} Its times are in microseconds (µs). Its streams and rows exist only on
        this page. Change anything you like; nothing is stored.
      </p>
    </Notice>
  );
}

function NewQuery({ title, beginning, object, streamless = false, offersTemplates = false }: NewQueryProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const draft = useDraft(beginning, object);
  const creating = useCreateQuery();
  const move = useMoving();
  const moveDraft = useMoveDraft();
  const edit = useReason("edit");
  const example = useExample();
  const streams = useStoredStreamNames().data ?? NO_NAMES;
  const foreign = exampleReason(example, draft.graph, streams);
  const create = () => {
    if (draft.storable === null || creating.isPending) return;
    creating.mutate(draft.storable, {
      onSuccess: (query) => {
        draft.kept.done();
        moveDraft(sampleDraft("new query"), sampleDraft(`query ${query.id}`));
        void move(query.id, { ...draft.design.present.positions }).catch(() => undefined); // otherwise it is laid out again
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
          <>
            {offersTemplates ? <TemplatesButton /> : null}
            <ReasonedButton reason={edit ?? foreign ?? savingReason(draft)} kind="primary" onClick={create}>
              {creating.isPending ? "Creating…" : "Create query"}
            </ReasonedButton>
          </>
        }
      />
      {example === null ? null : <ExampleNote example={example} />}
      <DraftGuard draft={draft.kept} />
      <ErrorNote error={creating.error} />
      {streamless ? (
        <Notice tone="unknown">
          <p>
            You have no streams yet. <Link to={`/t/${slug}/streams/new`}>Create a stream</Link> first. Its fields are
            then suggested as you type. Or start from a template, which creates its own streams with sample rows.
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
  if (query.isPending || taken === undefined) return <Waiting>Loading the query to copy…</Waiting>;
  if (query.isError) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  const { name, current } = query.data;
  const free = freeName(`${name}_copy`, taken);
  const beginning = renamedText(current.text, name, free);
  return <NewQuery title={`Copy of ${name}`} beginning={beginning} object={`copy of query ${id}`} />;
}

/** An example of the guide with its own streams and rows; nothing is stored unless it reads the user's streams. */
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
      <Empty title={`The guide has no example “${name}”`}>
        <p>
          Choose one from the <Link to="/guide">guide</Link>.
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

/** A new query: a count by minute over the first stream, a copy of another query, or an example. */
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
  if (!fresh || streams.data === undefined) return <Waiting>Loading your streams…</Waiting>;
  const stream = streams.data[0];
  const beginning = startingText(stream ?? "my_stream");
  return (
    <NewQuery
      title="New query"
      beginning={beginning}
      object="new query"
      streamless={stream === undefined}
      offersTemplates
    />
  );
}
