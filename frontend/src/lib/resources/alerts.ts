import { useQuery } from "@tanstack/react-query";
import { useSlug } from "../account/session";
import { api, unwrap } from "../api/client";

const AGAIN_MS = 10_000;

/** The rules that are not ok, read again every ten seconds; for the page and the badge in the navigation. */
export function useAlerts() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "alerts"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/alerts/", { params: { path: { slug } } })),
    refetchInterval: AGAIN_MS,
  });
}
