import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ReasonedSubmit } from "../../components/actions/Reasoned";
import { ErrorNote } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { useReason, useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import type { QueryResponse } from "../../model/api";
import { tagsOf, tagsText } from "../../model/live/tags";

function useMembers() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "members"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/members/", { params: { path: { slug } } })),
  });
}

function useLabelQuery(query: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { tags: string[]; owner: string | null }) =>
      unwrap(api.PUT("/api/t/{slug}/queries/{query}/labels/", { params: { path: { slug, query } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "queries"] }),
  });
}

interface OwnerSelectProps {
  owner: string;
  disabled: boolean;
  onChange: (owner: string) => void;
}

/** The members, and a present owner who is no member any more. */
function OwnerSelect({ owner, disabled, onChange }: OwnerSelectProps) {
  const members = useMembers().data ?? [];
  const gone = owner !== "" && !members.some(({ email }) => email === owner);
  return (
    <div className="field">
      <label htmlFor="query-owner">Owner</label>
      <select id="query-owner" value={owner} disabled={disabled} onChange={(event) => onChange(event.target.value)}>
        <option value="">Nobody</option>
        {gone ? <option value={owner}>{owner}</option> : null}
        {members.map(({ id, email }) => (
          <option key={id} value={email}>
            {email}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Tags and owner of a query: they make no version, and the live page filters by them. */
export function QueryLabels({ query }: { query: QueryResponse }) {
  const reason = useReason("edit");
  const label = useLabelQuery(query.id);
  const [tags, setTags] = useState(tagsText(query.tags));
  const [owner, setOwner] = useState(query.owner ?? "");
  const changed = tagsText(tagsOf(tags)) !== tagsText(query.tags) || owner !== (query.owner ?? "");
  return (
    <Panel title="Tags and owner" note="They make no version. The live page filters by them.">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          label.mutate({ tags: tagsOf(tags), owner: owner === "" ? null : owner });
        }}
      >
        <div className="two tight">
          <div className="field">
            <label htmlFor="query-tags">Tags, separated by commas</label>
            <input
              id="query-tags"
              value={tags}
              readOnly={reason !== null}
              onChange={(event) => setTags(event.target.value)}
            />
          </div>
          <OwnerSelect owner={owner} disabled={reason !== null} onChange={setOwner} />
        </div>
        <ErrorNote error={label.error} />
        <p className="row">
          <ReasonedSubmit reason={reason ?? (changed ? null : "Nothing has changed yet.")}>
            {label.isPending ? "Saving…" : "Save tags and owner"}
          </ReasonedSubmit>
          {label.isSuccess && !changed ? (
            <span role="status" className="quiet">
              Saved.
            </span>
          ) : null}
        </p>
      </form>
    </Panel>
  );
}
