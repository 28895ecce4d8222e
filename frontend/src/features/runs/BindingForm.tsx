import { DraftGuard } from "../../components/forms/DraftGuard";
import { SelectField, TextField } from "../../components/forms/Field";
import { FaultyForm } from "../../components/forms/FieldFaults";
import { FormButtons } from "../../components/forms/FormEnd";
import { useDrafted } from "../../lib/drafts/drafts";
import type { QuerySummary } from "../../model/api";
import { type Freshness, freshnessOf, USUAL } from "../../model/run/freshness";
import { FreshnessChoice, QueryChoice } from "./QueryChoice";

export interface NewBindingBody {
  name: string;
  query_version: string;
  dedicated: boolean;
  freshness: Freshness;
}

interface Props {
  queries: readonly QuerySummary[];
  /** The id of the preselected query; the first one if it is not in the list. */
  first?: string;
  creating: {
    mutate: (sending: { body: NewBindingBody; onStored: () => void }) => void;
    isPending: boolean;
    error: Error | null;
  };
  onCancel: () => void;
}

/** The form for a new binding: a query, a name, its carrier and its freshness. */
export function BindingForm({ queries, first = "", creating, onCancel }: Props) {
  const of = (id: string) => queries.find((each) => each.id === id);
  const beginning = of(first) ?? queries[0];
  const draft = useDrafted("new binding", {
    chosen: beginning?.id ?? "",
    name: beginning?.name ?? "",
    dedicated: false,
    freshness: USUAL,
  });
  const { chosen, name, dedicated } = draft.value;
  const freshness = freshnessOf(draft.value.freshness);
  const change = (part: Partial<typeof draft.value>) => draft.change({ ...draft.value, ...part });
  const query = of(chosen);
  const choose = (next: string) =>
    change({ chosen: next, name: name === query?.name ? (of(next)?.name ?? name) : name });
  const submit = () => {
    if (query === undefined || creating.isPending) return;
    const body = { name: name.trim(), query_version: query.current.id, dedicated, freshness };
    creating.mutate({ body, onStored: draft.done });
  };
  const cancel = () => {
    draft.done();
    onCancel();
  };
  return (
    <FaultyForm error={creating.error} paths={["name", "query_version", "freshness"]} onSubmit={submit}>
      <DraftGuard draft={draft} />
      <SelectField
        label="Query"
        value={chosen}
        path="query_version"
        onChange={choose}
        options={queries.map((each) => [each.id, `${each.name}, version ${each.current.number}`] as const)}
        help="Each input reads the stream that the query names."
      />
      <TextField
        label="Name of the binding"
        value={name}
        path="name"
        onChange={(next) => change({ name: next })}
        required
      />
      <QueryChoice dedicated={dedicated} onChange={(next) => change({ dedicated: next })} />
      <FreshnessChoice value={freshness} onChange={(next) => change({ freshness: next })} />
      <FormButtons words={["Create binding", "Creating…"]} isPending={creating.isPending} onCancel={cancel} />
    </FaultyForm>
  );
}
