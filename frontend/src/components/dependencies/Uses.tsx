import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import type { Use } from "../../model/api";
import { ErrorNote, Waiting } from "../notices/Notices";
import { Panel } from "../page/Panel";

const PAGES = { stream: "streams", query: "queries", binding: "bindings" } as const;

type Used = "stream" | "query" | "binding";

/** Load the objects that depend on a stream, a query or a binding. */
export function useUses(kind: Used, id: string) {
  const slug = useSlug();
  const asked = {
    stream: () => api.GET("/api/t/{slug}/streams/{stream}/uses/", { params: { path: { slug, stream: id } } }),
    query: () => api.GET("/api/t/{slug}/queries/{query}/uses/", { params: { path: { slug, query: id } } }),
    binding: () => api.GET("/api/t/{slug}/bindings/{binding}/uses/", { params: { path: { slug, binding: id } } }),
  };
  return useQuery({ queryKey: [slug, "uses", kind, id], queryFn: () => unwrap(asked[kind]()), staleTime: 0 });
}

/** The dependent objects, linked, with the part that they use. */
export function UseList({ uses }: { uses: readonly Use[] }) {
  const slug = useSlug();
  return (
    <ul className="stack tight">
      {uses.map((use) => (
        <li key={`${use.kind} ${use.id}`}>
          The {use.kind} <Link to={`/t/${slug}/${PAGES[use.kind]}/${use.id}`}>{use.name}</Link> {use.says}.
        </li>
      ))}
    </ul>
  );
}

/** A panel with the objects that depend on a stream, a query or a binding. */
export function UsesPanel({ kind, id, none }: { kind: Used; id: string; none: ReactNode }) {
  const uses = useUses(kind, id);
  return (
    <Panel title="Used by">
      {uses.isPending ? <Waiting>Loading its uses…</Waiting> : null}
      <ErrorNote error={uses.error} onRetry={() => void uses.refetch()} />
      {uses.data === undefined ? null : uses.data.length === 0 ? (
        <p className="quiet">{none}</p>
      ) : (
        <UseList uses={uses.data} />
      )}
    </Panel>
  );
}
