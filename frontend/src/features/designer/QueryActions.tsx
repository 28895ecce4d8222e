import { useNavigate } from "react-router";
import { AskedAction } from "../../components/AskedAction";
import { Panel } from "../../components/Panel";
import { ReasonedLink } from "../../components/Reasoned";
import { Rename } from "../../components/Rename";
import { UseList, useUses } from "../../components/Uses";
import { useReason, useSlug } from "../../lib/session";
import type { QueryShown } from "../../model/api";
import { useDeleteQuery, useRenameQuery } from "./requests";

function Renaming({ query }: { query: QueryShown }) {
  const renaming = useRenameQuery(query.id);
  return (
    <Rename
      what="the query"
      name={query.name}
      object={`query's name ${query.id}`}
      reason={useReason("edit")}
      rename={(name) => renaming.mutateAsync({ name, parent: query.current.id })}
    >
      It is said by a new version. Bindings stay with the version that they run; older versions keep the old name.
    </Rename>
  );
}

function Deleting({ query }: { query: QueryShown }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const edit = useReason("edit");
  const uses = useUses("query", query.id);
  const needed = uses.data !== undefined && uses.data.length > 0;
  return (
    <AskedAction
      reason={edit ?? (needed ? "A binding runs it, as is listed above. Delete that binding first." : null)}
      opener="Delete…"
      kind="danger"
      title={`Delete the query ${query.name}?`}
      words={["Delete", "Deleting…"]}
      keep="Keep it"
      act={useDeleteQuery(query.id)}
      onDone={() => navigate(`/t/${slug}/queries`)}
    >
      <p>The query and all of its versions are removed for good. Its streams stay.</p>
      {needed ? <UseList uses={uses.data} /> : null}
    </AskedAction>
  );
}

/** What can be done with a query as a whole. */
export function QueryActions({ query }: { query: QueryShown }) {
  const edit = useReason("edit");
  const slug = useSlug();
  return (
    <Panel title="The query as a whole">
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
