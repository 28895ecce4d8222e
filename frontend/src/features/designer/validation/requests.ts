import { useMutation } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";

/** Load the problems to fix before a start, and measurements of each input's first rows; nothing is stored. */
export function usePreflight() {
  const slug = useSlug();
  return useMutation({
    mutationFn: (text: string) =>
      unwrap(api.POST("/api/t/{slug}/queries/preflight/", { params: { path: { slug } }, body: { text } })),
  });
}
