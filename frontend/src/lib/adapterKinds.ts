import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "./api";
import { useSlug } from "./session";

/** The kinds of outputs that this installation has, with the schemas of their forms. */
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

/** The kinds of inputs likewise. */
export function useInputKinds() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "adapters"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/adapters/", { params: { path: { slug } } })),
    staleTime: 600_000,
  });
}
