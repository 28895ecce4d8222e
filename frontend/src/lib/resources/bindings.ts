import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BindingChange } from "../../model/api";
import { useSlug } from "../account/session";
import { api, unwrap } from "../api/client";

const EVERY_MS = 3_000;

/** The organisation's bindings, for a selection. */
export function useBindingChoices() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "bindings"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params: { path: { slug } } })),
  });
}

/** All versions of a query, newest first; empty without a query. */
export function useVersionsOf(query: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "versions"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/{query}/versions/", { params: { path: { slug, query } } })),
    enabled: query !== "",
  });
}

/** The bindings of a query with their newest runs, by name; unknown without a query. */
export function useBindingsOf(query: string) {
  const slug = useSlug();
  const params = { path: { slug }, query: { query } };
  return useQuery({
    queryKey: [slug, "runs", "bindings", "of", query],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params })),
    refetchInterval: EVERY_MS,
    enabled: query !== "",
  });
}

/** Replace the settings of a binding. */
export function useReplaceBinding() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ binding, body }: { binding: string; body: BindingChange }) =>
      unwrap(api.PUT("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}
