import { Link } from "react-router";
import { ReasonedLink } from "../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Scroll } from "../../components/page/Scroll";
import { IsoInstant } from "../../components/values/Instant";
import { useReason, useSlug } from "../../lib/account/session";
import type { QuerySummary } from "../../model/api";
import { tagsText } from "../../model/live/tags";
import { useQueries } from "./requests";

function StreamLinks({ query }: { query: QuerySummary }) {
  const slug = useSlug();
  return query.streams.map(({ id, name }, index) => (
    <span key={name}>
      {index > 0 ? ", " : ""}
      {id === null ? (
        <span title="The organisation has no stream with this name">{name} (missing)</span>
      ) : (
        <Link to={`/t/${slug}/streams/${id}`}>{name}</Link>
      )}
    </span>
  ));
}

function QueryTable({ queries }: { queries: readonly QuerySummary[] }) {
  return (
    <Scroll label="Table of queries" panel>
      <table>
        <thead>
          <tr>
            <th>Query</th>
            <th>Tags</th>
            <th>Owner</th>
            <th>Streams</th>
            <th className="num">Nodes</th>
            <th className="num">Version</th>
            <th>Changed (UTC)</th>
            <th>By</th>
          </tr>
        </thead>
        <tbody>
          {queries.map((query) => (
            <tr key={query.id}>
              <th scope="row">
                <Link to={query.id}>{query.name}</Link>
              </th>
              <td>{tagsText(query.tags)}</td>
              <td>{query.owner}</td>
              <td>
                <StreamLinks query={query} />
              </td>
              <td className="num">{query.current.nodes}</td>
              <td className="num">{query.current.number}</td>
              <td>
                <IsoInstant iso={query.current.created_at} />
              </td>
              <td>{query.current.author ?? "system"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Every query of the organisation. */
export function QueriesPage() {
  const slug = useSlug();
  const queries = useQueries();
  const reason = useReason("edit");
  const create = (
    <ReasonedLink reason={reason} kind="primary" to="new">
      New query
    </ReasonedLink>
  );
  return (
    <>
      <PageHead title="Queries" actions={create} />
      <p className="quiet">
        A query computes results from streams. Each change creates a new version; old versions stay available.
      </p>
      <ErrorNote error={queries.error} onRetry={() => void queries.refetch()} />
      {queries.isPending ? <Waiting>Loading the queries…</Waiting> : null}
      {queries.data?.length === 0 ? (
        <div className="panel">
          <Empty title="No queries yet">
            <p>
              A query reads <Link to={`/t/${slug}/streams`}>streams</Link>, so create those first.{" "}
              {reason === null ? <Link to="new">Write a query</Link> : "Ask a designer to write one."}
            </p>
          </Empty>
        </div>
      ) : null}
      {queries.data !== undefined && queries.data.length > 0 ? <QueryTable queries={queries.data} /> : null}
    </>
  );
}
