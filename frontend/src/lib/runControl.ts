/** Starting and stopping bindings. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { NextStart, RunShown } from "../model/api";
import { api, unwrap } from "./api";
import { useSlug } from "./session";

export type BeginAt = NextStart["options"][number]["begin"];

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
    mutationFn: ({ binding, begin }: { binding: string; begin?: BeginAt }) =>
      once(`${slug} ${binding}`, () =>
        unwrap(
          api.POST("/api/t/{slug}/bindings/{binding}/start/", {
            params: { path: { slug, binding }, query: begin === undefined ? {} : { begin } },
          }),
        ),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}

/** What the next start of a binding, if it were of `version`, does with what its last run kept; asked while `wanted`. */
export function useNextStart(binding: string, wanted: boolean, version?: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "next-start", binding, version],
    queryFn: () =>
      unwrap(
        api.GET("/api/t/{slug}/bindings/{binding}/next-start/", {
          params: { path: { slug, binding }, query: version === undefined ? {} : { query_version: version } },
        }),
      ),
    enabled: wanted,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
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
