import { useNavigate } from "react-router";
import { ConfirmedAction } from "../../components/actions/ConfirmedAction";
import { ReasonedLink } from "../../components/actions/Reasoned";
import { UseList, useUses } from "../../components/dependencies/Uses";
import { Rename } from "../../components/forms/Rename";
import { Panel } from "../../components/page/Panel";
import { useReason, useSlug } from "../../lib/account/session";
import type { QueryResponse } from "../../model/api";
import { useDeleteQuery, useRenameQuery } from "./requests";

function Renaming({ query }: { query: QueryResponse }) {
  const renaming = useRenameQuery(query.id);
  return (
    <Rename
      what="the query"
      name={query.name}
      object={`query's name ${query.id}`}
      reason={useReason("edit")}
      rename={(name) => renaming.mutateAsync({ name, parent: query.current.id })}
    >
      Renaming creates a new version. Bindings stay on their current version; older versions keep the old name.
    </Rename>
  );
}

function Deleting({ query }: { query: QueryResponse }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const edit = useReason("edit");
  const uses = useUses("query", query.id);
  const needed = uses.data !== undefined && uses.data.length > 0;
  return (
    <ConfirmedAction
      reason={edit ?? (needed ? "A binding uses this query (see above). Delete the binding first." : null)}
      opener="Delete…"
      kind="danger"
      title={`Delete the query ${query.name}?`}
      words={["Delete", "Deleting…"]}
      keep="Keep it"
      act={useDeleteQuery(query.id)}
      onDone={() => navigate(`/t/${slug}/queries`)}
    >
      <p>The query and all of its versions are deleted permanently. Its streams stay.</p>
      {needed ? <UseList uses={uses.data} /> : null}
    </ConfirmedAction>
  );
}

/** Actions on a whole query. */
export function QueryActions({ query }: { query: QueryResponse }) {
  const edit = useReason("edit");
  const slug = useSlug();
  return (
    <Panel title="Query actions">
      <p className="row">
        <Renaming query={query} />
        <ReasonedLink reason={edit} to={`/t/${slug}/queries/new?copy=${query.id}`}>
          Copy
        </ReasonedLink>
        <Deleting query={query} />
      </p>
    </Panel>
  );
}
