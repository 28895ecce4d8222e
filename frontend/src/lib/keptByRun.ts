import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "./api";
import { useSlug } from "./session";

/** What is kept of each run of a binding, newest first; none until it is known. */
export function useKeptByRun(binding: string, wanted: boolean) {
  const slug = useSlug();
  const kept = useQuery({
    queryKey: [slug, "kept", binding],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/bindings/{binding}/results/", { params: { path: { slug, binding } } })),
    enabled: wanted,
  });
  return kept.data ?? [];
}
