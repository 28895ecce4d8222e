import { useQuery } from "@tanstack/react-query";
import { useSlug } from "../account/session";
import { api, unwrap } from "../api/client";

/** The stored rows of each run of a binding, newest first; empty until loaded. */
export function useStoredRowsByRun(binding: string, wanted: boolean) {
  const slug = useSlug();
  const kept = useQuery({
    queryKey: [slug, "kept", binding],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/bindings/{binding}/results/", { params: { path: { slug, binding } } })),
    enabled: wanted,
  });
  return kept.data ?? [];
}
