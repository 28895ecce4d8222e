import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { ErrorNote } from "../../components/notices/Notices";
import { useReason, useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import type { QueryResponse, VersionResponse } from "../../model/api";

export interface UnsavedQuery {
  /** The reason why it can't be saved; null if it can. */
  reason: string | null;
  /** Save it as a version; null if the server refused, and the page then shows why. */
  save: () => Promise<VersionResponse | null>;
}

interface RunButtonProps {
  query: QueryResponse;
  /** Null without changes. */
  unsaved: UnsavedQuery | null;
}

/**
 * Bind the newest version of a query to the streams that it names, start the binding and open its run. Changes are saved
 * first, so a run never uses another text than the one on the page.
 */
export function RunButton({ query, unsaved }: RunButtonProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const edit = useReason("edit");
  const operate = useReason("operate");
  const running = useMutation({
    mutationFn: async () => {
      const version = unsaved === null ? query.current : await unsaved.save();
      if (version === null) return null;
      const body = { name: version.graph.name, query_version: version.id };
      const binding = await unwrap(api.POST("/api/t/{slug}/bindings/", { params: { path: { slug } }, body }));
      const params = { path: { slug, binding: binding.id } };
      return unwrap(api.POST("/api/t/{slug}/bindings/{binding}/start/", { params }));
    },
    onSuccess: (run) => void (run === null ? null : navigate(`/t/${slug}/runs/${run.id}`)),
    onSettled: () => Promise.all(["runs", "uses"].map((part) => queries.invalidateQueries({ queryKey: [slug, part] }))),
  });
  const run = () => (running.isPending ? undefined : running.mutate());
  const words = unsaved === null ? "Run" : "Save and run";
  return (
    <>
      <ReasonedButton
        reason={edit ?? operate ?? unsaved?.reason ?? null}
        kind="primary"
        onClick={run}
        aria-disabled={running.isPending}
      >
        {running.isPending ? "Starting…" : words}
      </ReasonedButton>
      <ModalDialog title={`${query.name} was not started`} open={running.isError} onClose={() => running.reset()}>
        <ErrorNote error={running.error} />
      </ModalDialog>
    </>
  );
}
