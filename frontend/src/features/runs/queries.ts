import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";

const EVERY_MS = 3_000;

export function useBindings() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "bindings"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params: { path: { slug } } })),
    refetchInterval: EVERY_MS,
  });
}

export function useRuns() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "all"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/runs/", { params: { path: { slug } } })),
    refetchInterval: EVERY_MS,
  });
}

/** The queries that a new binding may run. */
export function useQueryChoices(wanted: boolean) {
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
    mutationFn: (body: { name: string; query_version: string }) =>
      unwrap(api.POST("/api/t/{slug}/bindings/", { params: { path: { slug } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}
