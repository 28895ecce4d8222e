import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { isUnderWay } from "../../messages/run/versionChanges";
import { useSlug } from "../account/session";
import { api, unwrap } from "../api/client";

/** The polling interval while a change is in progress. */
export const POLL_MS = 2_000;

const PATH = "/api/t/{slug}/bindings/{binding}/version-change/";

/** The current version change of a binding, or the last one. When it ends, the pages of its runs reload. */
export function useVersionChange(binding: string, run: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: [slug, "version-change", binding],
    queryFn: () => unwrap(api.GET(PATH, { params: { path: { slug, binding } } })),
    refetchInterval: ({ state }) => (isUnderWay(state.data?.change ?? null) ? POLL_MS : 10 * POLL_MS),
  });
  const state = found.data?.change?.state;
  useEffect(() => {
    if (state === "done") void queries.invalidateQueries({ queryKey: [slug, "runs", run] });
  }, [queries, slug, run, state]);
  return found;
}

/** Return why a run can't change to a version without a pause; null if it can. A refusal is polled, since it may pass. */
export function useChangeRefusal(binding: string, version: string | undefined) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "version-change", binding, version],
    queryFn: () =>
      unwrap(
        api.GET(PATH, {
          params: { path: { slug, binding }, query: version === undefined ? {} : { query_version: version } },
        }),
      ),
    enabled: version !== undefined,
    refetchInterval: ({ state }) => (state.data?.refusal == null ? 10 * POLL_MS : POLL_MS),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Start a version change, or cancel it. */
export function useChangeVersion(binding: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  const params = { path: { slug, binding } };
  const onSettled = () => queries.invalidateQueries({ queryKey: [slug, "version-change", binding] });
  const begin = useMutation({
    mutationFn: (version: string) => unwrap(api.POST(PATH, { params, body: { query_version: version } })),
    onSettled,
  });
  const callOff = useMutation({ mutationFn: () => unwrap(api.DELETE(PATH, { params })), onSettled });
  return { begin, callOff };
}
