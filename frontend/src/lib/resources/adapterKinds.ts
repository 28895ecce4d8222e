import { useQuery } from "@tanstack/react-query";
import { useSlug } from "../account/session";
import { api, unwrap } from "../api/client";

/** The installed kinds of outputs, with the schemas of their forms. */
export function useOutputKinds(wanted = true) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "adapters", "out"],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/adapters/", { params: { path: { slug }, query: { direction: "out" } } })),
    staleTime: 600_000,
    enabled: wanted,
  });
}

/** The installed kinds of inputs, with the schemas of their forms. */
export function useInputKinds() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "adapters"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/adapters/", { params: { path: { slug } } })),
    staleTime: 600_000,
  });
}
