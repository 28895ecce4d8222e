import { Link } from "react-router";
import { IsoInstant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedLink } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { useReason, useSlug } from "../../lib/session";
import type { QueryShown } from "../../model/api";
import { useQueries } from "./requests";

function StreamLinks({ query }: { query: QueryShown }) {
  const slug = useSlug();
  return query.streams.map(({ id, name }, index) => (
    <span key={name}>
      {index > 0 ? ", " : ""}
      {id === null ? (
        <span title="The organisation has no stream of that name">{name} (missing)</span>
      ) : (
        <Link to={`/t/${slug}/streams/${id}`}>{name}</Link>
      )}
    </span>
  ));
}

function QueryTable({ queries }: { queries: readonly QueryShown[] }) {
  return (
    <Scroll label="Table of queries" panel>
      <table>
        <thead>
          <tr>
            <th>Query</th>
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
              <td>
                <StreamLinks query={query} />
              </td>
              <td className="num">{query.current.graph.nodes.length}</td>
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
        A query says what is computed from which streams. Each change makes a version; old ones stay.
      </p>
      <ErrorNote error={queries.error} onRetry={() => void queries.refetch()} />
      {queries.isPending ? <Waiting>Loading the queries…</Waiting> : null}
      {queries.data?.length === 0 ? (
        <div className="panel">
          <Empty title="No queries yet.">
            <p>
              A query reads <Link to={`/t/${slug}/streams`}>streams</Link>, which come first.{" "}
              {reason === null ? <Link to="new">Write a query</Link> : "Ask a designer to write one."}
            </p>
          </Empty>
        </div>
      ) : null}
      {queries.data !== undefined && queries.data.length > 0 ? <QueryTable queries={queries.data} /> : null}
    </>
  );
}
