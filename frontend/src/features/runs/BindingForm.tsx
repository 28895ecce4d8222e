import { type FormEvent, useState } from "react";
import { SelectField, TextField } from "../../components/Field";
import { FormEnd } from "../../components/FormEnd";
import type { QueryShown } from "../../model/api";
import { QueryChoice } from "./QueryChoice";

export interface NewBindingBody {
  name: string;
  query_version: string;
  dedicated: boolean;
}

interface Props {
  queries: readonly QueryShown[];
  creating: { mutate: (body: NewBindingBody) => void; isPending: boolean; error: Error | null };
  onCancel: () => void;
}

/** What a new binding is made of: a query, a name, and whether it shares its carrier. */
export function BindingForm({ queries, creating, onCancel }: Props) {
  const [chosen, setChosen] = useState(queries[0]?.id ?? "");
  const [name, setName] = useState(queries[0]?.name ?? "");
  const [dedicated, setDedicated] = useState(false);
  const query = queries.find((each) => each.id === chosen);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (query === undefined) return;
    creating.mutate({ name: name.trim(), query_version: query.current.id, dedicated });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <SelectField
        label="Query"
        value={chosen}
        onChange={setChosen}
        options={queries.map((each) => [each.id, `${each.name}, version ${each.current.number}`] as const)}
        help="Each input takes the stream that the query names."
      />
      <TextField label="Name of the binding" value={name} onChange={setName} required />
      <QueryChoice dedicated={dedicated} onChange={setDedicated} />
      <FormEnd words={["Create the binding", "Creating…"]} asking={creating} onCancel={onCancel} />
    </form>
  );
}
