import { SelectField, TextField } from "../../components/Field";
import { FaultyForm } from "../../components/FieldFaults";
import { useDrafted } from "../../lib/drafts";
import type { QueryShown } from "../../model/api";
import { QueryChoice } from "./QueryChoice";

export interface NewBindingBody {
  name: string;
  query_version: string;
  dedicated: boolean;
}

interface Props {
  queries: readonly QueryShown[];
  creating: {
    mutate: (body: NewBindingBody, then: { onSuccess: () => void }) => void;
    isPending: boolean;
    error: Error | null;
  };
  onCancel: () => void;
}

/** What a new binding is made of: a query, a name, and whether it shares its carrier. */
export function BindingForm({ queries, creating, onCancel }: Props) {
  const draft = useDrafted("new binding", {
    chosen: queries[0]?.id ?? "",
    name: queries[0]?.name ?? "",
    dedicated: false,
  });
  const { chosen, name, dedicated } = draft.value;
  const change = (part: Partial<typeof draft.value>) => draft.change({ ...draft.value, ...part });
  const query = queries.find((each) => each.id === chosen);
  const submit = () => {
    if (query === undefined || creating.isPending) return;
    const body = { name: name.trim(), query_version: query.current.id, dedicated };
    creating.mutate(body, { onSuccess: draft.done });
  };
  const cancel = () => {
    draft.done();
    onCancel();
  };
  return (
    <FaultyForm error={creating.error} paths={["name", "query_version"]} onSubmit={submit}>
      <SelectField
        label="Query"
        value={chosen}
        path="query_version"
        onChange={(next) => change({ chosen: next })}
        options={queries.map((each) => [each.id, `${each.name}, version ${each.current.number}`] as const)}
        help="Each input takes the stream that the query names."
      />
      <TextField
        label="Name of the binding"
        value={name}
        path="name"
        onChange={(next) => change({ name: next })}
        required
      />
      <QueryChoice dedicated={dedicated} onChange={(next) => change({ dedicated: next })} />
      <p className="row">
        <button type="submit" className="button" data-kind="primary" disabled={creating.isPending}>
          {creating.isPending ? "Creating…" : "Create the binding"}
        </button>
        <button type="button" className="button" onClick={cancel}>
          Cancel
        </button>
      </p>
    </FaultyForm>
  );
}
