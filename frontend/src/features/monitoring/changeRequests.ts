import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import { isUnderWay, LOOKS_MS } from "../../model/versionChanges";

const PATH = "/api/t/{slug}/bindings/{binding}/version-change/";

/** The change of a binding that is under way, or the last one; pages of runs are read again once one is over. */
export function useVersionChange(binding: string, run: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: [slug, "version-change", binding],
    queryFn: () => unwrap(api.GET(PATH, { params: { path: { slug, binding } } })),
    refetchInterval: ({ state }) => (isUnderWay(state.data?.change ?? null) ? LOOKS_MS : 10 * LOOKS_MS),
  });
  const state = found.data?.change?.state;
  useEffect(() => {
    if (state === "done") void queries.invalidateQueries({ queryKey: [slug, "runs", run] });
  }, [queries, slug, run, state]);
  return found;
}

/** Why a run cannot be changed to a version without a pause; null: it can. What is refused is asked again: it may pass. */
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
    refetchInterval: ({ state }) => (state.data?.refusal == null ? 10 * LOOKS_MS : LOOKS_MS),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Let a version catch up and take over; or call that off. */
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
