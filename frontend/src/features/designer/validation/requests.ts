import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";

/** What is to be mended before a start, and what was measured of the first rows of each input; nothing is stored. */
export function usePreflight() {
  const slug = useSlug();
  return useMutation({
    mutationFn: (text: string) =>
      unwrap(api.POST("/api/t/{slug}/queries/preflight/", { params: { path: { slug } }, body: { text } })),
  });
}
