/** Starting and stopping bindings. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "./api";
import { useSlug } from "./session";

export function useStart() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (binding: string) =>
      unwrap(api.POST("/api/t/{slug}/bindings/{binding}/start/", { params: { path: { slug, binding } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}

export function useStop() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ binding, flush }: { binding: string; flush: boolean }) =>
      unwrap(
        api.POST("/api/t/{slug}/bindings/{binding}/stop/", { params: { path: { slug, binding } }, body: { flush } }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}
