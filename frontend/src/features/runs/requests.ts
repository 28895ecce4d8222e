import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { BindingChange, BindingShown } from "../../model/api";
import type { NewBindingBody } from "./BindingForm";

const EVERY_MS = 3_000;
/** What ended runs say does not change; that another one began is seen by its binding. */
const SELDOM_MS = 30_000;

export function useBindings() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "bindings"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params: { path: { slug } } })),
    refetchInterval: EVERY_MS,
  });
}

/** Read a list of runs again at once when a binding has another newest run, or that is in another state. */
function useReadWithRuns(queryKey: readonly string[], bindings: readonly BindingShown[] | undefined) {
  const queries = useQueryClient();
  const key = JSON.stringify(queryKey);
  const states = bindings?.map(({ latest_run: run }) => `${run?.id} ${run?.observed} ${run?.desired}`).join();
  useEffect(() => {
    if (states !== undefined) void queries.invalidateQueries({ queryKey: JSON.parse(key) });
  }, [queries, key, states]);
}

/** The newest runs, read again at once when a binding has another one, or one in another state. */
export function useRuns() {
  const slug = useSlug();
  useReadWithRuns([slug, "runs", "all"], useBindings().data);
  return useQuery({
    queryKey: [slug, "runs", "all"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/runs/", { params: { path: { slug } } })),
    refetchInterval: SELDOM_MS,
  });
}

/** The queries that a new binding may run. */
export function useQueryChoices(wanted = true) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/", { params: { path: { slug } } })),
    enabled: wanted,
  });
}

export function useCreateBinding() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewBindingBody) =>
      unwrap(api.POST("/api/t/{slug}/bindings/", { params: { path: { slug } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}

/** What a binding says, for replacing it with one thing changed; refused where it says something else by now. */
export function bodyOf(binding: BindingShown) {
  const { name, query_version, inputs, freshness, revision: upon } = binding;
  const said = inputs.map(({ node, stream, advance, event_time }) => [node, { stream, advance, event_time }] as const);
  return { name, query_version, freshness, inputs: Object.fromEntries(said), upon };
}

export function useBinding(binding: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
    refetchInterval: EVERY_MS,
  });
}

export function useRunsOf(binding: string) {
  const slug = useSlug();
  const shown = useBinding(binding).data;
  useReadWithRuns([slug, "runs", "of", binding], shown === undefined ? undefined : [shown]);
  return useQuery({
    queryKey: [slug, "runs", "of", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/runs/", { params: { path: { slug }, query: { binding } } })),
    refetchInterval: SELDOM_MS,
  });
}

export function useStreamChoices() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/", { params: { path: { slug } } })),
  });
}

export function useChangeBinding(binding: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: BindingChange) =>
      unwrap(api.PUT("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug] }),
  });
}

export function useDeleteBinding(binding: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return async () => {
    await unwrap(api.DELETE("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } }));
    queries.removeQueries({ queryKey: [slug, "runs", "bindings", binding] });
    await queries.invalidateQueries({ queryKey: [slug, "runs"] });
  };
}

export function useReplaceBinding() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ binding, dedicated }: { binding: BindingShown; dedicated: boolean }) =>
      unwrap(
        api.PUT("/api/t/{slug}/bindings/{binding}/", {
          params: { path: { slug, binding: binding.id } },
          body: { ...bodyOf(binding), dedicated },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}
