import { useState } from "react";
import { useNavigate } from "react-router";
import { Ask } from "../../components/Ask";
import { AskedAction } from "../../components/AskedAction";
import { TextField } from "../../components/Field";
import { FaultyForm } from "../../components/FieldFaults";
import { Panel } from "../../components/Panel";
import { ReasonedButton, ReasonedLink } from "../../components/Reasoned";
import { UseList, useUses } from "../../components/Uses";
import { useReason, useSlug } from "../../lib/session";
import type { QueryShown } from "../../model/api";
import { useDeleteQuery, useRenameQuery } from "./queries";

function Renaming({ query, onDone }: { query: QueryShown; onDone: () => void }) {
  const renaming = useRenameQuery(query.id);
  const [name, setName] = useState(query.name);
  const submit = () => {
    if (!renaming.isPending) renaming.mutate({ name: name.trim(), parent: query.current.id }, { onSuccess: onDone });
  };
  return (
    <FaultyForm error={renaming.error} paths={["name"]} onSubmit={submit}>
      <TextField
        label="New name"
        path="name"
        value={name}
        onChange={setName}
        help="It is said by a new version. Bindings stay with the version that they run; older versions keep the old name."
      />
      <p className="row">
        <button type="submit" className="button" data-kind="primary">
          {renaming.isPending ? "Renaming…" : "Rename"}
        </button>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </p>
    </FaultyForm>
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
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Panel title="The query as a whole">
      <p className="row">
        <ReasonedButton reason={edit} onClick={() => setOpen(true)}>
          Rename…
        </ReasonedButton>
        <ReasonedLink reason={edit} to={`/t/${slug}/queries/new?copy=${query.id}`}>
          Copy
        </ReasonedLink>
        <Deleting query={query} />
      </p>
      <Ask title={`Rename the query ${query.name}`} open={open} onClose={close}>
        <Renaming query={query} onDone={close} />
      </Ask>
    </Panel>
  );
}
