/** Starting and stopping bindings. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { RunShown } from "../model/api";
import { api, unwrap } from "./api";
import { useSlug } from "./session";

const underWay = new Map<string, Promise<RunShown>>();

/** A second click comes before the button is drawn as pressed; it waits for the answer to the first. */
function once(key: string, ask: () => Promise<RunShown>): Promise<RunShown> {
  const asked = underWay.get(key) ?? ask().finally(() => underWay.delete(key));
  underWay.set(key, asked);
  return asked;
}

export function useStart() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (binding: string) =>
      once(`${slug} ${binding}`, () =>
        unwrap(api.POST("/api/t/{slug}/bindings/{binding}/start/", { params: { path: { slug, binding } } })),
      ),
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
