import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { Ask } from "../../components/Ask";
import { ErrorNote } from "../../components/Notices";
import { ReasonedButton } from "../../components/Reasoned";
import { api, unwrap } from "../../lib/api";
import { useReason, useSlug } from "../../lib/session";
import type { QueryShown } from "../../model/api";

/** Binds the newest version of a query to the streams that it names, starts the binding, and opens its run. */
export function RunIt({ query }: { query: QueryShown }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const edit = useReason("edit");
  const operate = useReason("operate");
  const running = useMutation({
    mutationFn: async () => {
      const body = { name: query.name, query_version: query.current.id };
      const binding = await unwrap(api.POST("/api/t/{slug}/bindings/", { params: { path: { slug } }, body }));
      const params = { path: { slug, binding: binding.id } };
      return unwrap(api.POST("/api/t/{slug}/bindings/{binding}/start/", { params }));
    },
    onSuccess: (run) => void navigate(`/t/${slug}/runs/${run.id}`),
    onSettled: () => Promise.all(["runs", "uses"].map((part) => queries.invalidateQueries({ queryKey: [slug, part] }))),
  });
  const run = () => (running.isPending ? undefined : running.mutate());
  return (
    <>
      <ReasonedButton reason={edit ?? operate} kind="primary" onClick={run} aria-disabled={running.isPending}>
        {running.isPending ? "Starting…" : "Run it now"}
      </ReasonedButton>
      <Ask title={`${query.name} was not started`} open={running.isError} onClose={() => running.reset()}>
        <ErrorNote error={running.error} />
      </Ask>
    </>
  );
}
