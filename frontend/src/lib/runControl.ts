/** Starting and stopping bindings. */

import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BeginAt, NextStart, RunShown, TimelineShown } from "../model/api";
import type { Ticks } from "../model/ticks";
import { api, unwrap } from "./api";
import { useSlug } from "./session";

export type KeptBegin = NextStart["options"][number]["begin"];
/** What becomes of the state of a run that is stopped. */
export type StopWay = "keep" | "flush" | "discard";

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
            params: { path: { slug, binding } },
            ...(begin === undefined ? {} : { body: { begin } }),
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

/** An input of a binding: what it holds, while it is asked, or why that was not answered. */
export interface AskedInput {
  input: string;
  shown: TimelineShown | undefined;
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

/**
 * What the inputs of a binding hold now, and how much of it came at `since` or later; null until it is known which they
 * are. One is asked after the other, so that each is shown when it has answered. The last answer stays meanwhile.
 */
export function useTimeline(
  binding: string,
  since: Ticks | null,
): { inputs: AskedInput[] | null; error: Error | null; retry: () => void } {
  const slug = useSlug();
  const queries = useQueryClient();
  const bound = useQuery({
    queryKey: [slug, "runs", "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
  });
  const names = bound.data?.inputs.map(({ node }) => node) ?? [];
  const keys = names.map((input) => [slug, "runs", "timeline", binding, since, input]);
  const isAnswered = (key: unknown[] | undefined) =>
    key === undefined || (queries.getQueryState(key)?.status ?? "pending") !== "pending";
  const asked = useQueries({
    queries: names.map((input, number) => ({
      queryKey: keys[number] ?? [],
      queryFn: () =>
        unwrap(
          api.GET("/api/t/{slug}/bindings/{binding}/timeline/", {
            params: { path: { slug, binding }, query: { input, ...(since === null ? {} : { since }) } },
          }),
        ),
      enabled: isAnswered(keys[number - 1]),
      placeholderData: keepPreviousData,
      staleTime: 0,
      gcTime: 0,
      retry: false,
      refetchOnWindowFocus: false,
    })),
  });
  const inputs = asked.map((each, number) => ({
    input: names[number] ?? "",
    shown: each.data,
    isPending: each.isPending || each.isPlaceholderData,
    error: each.error,
    retry: () => void each.refetch(),
  }));
  return {
    inputs: bound.data === undefined ? null : inputs,
    error: bound.error,
    retry: () => void bound.refetch(),
  };
}

export function useStop() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ binding, way }: { binding: string; way: StopWay }) =>
      unwrap(
        api.POST("/api/t/{slug}/bindings/{binding}/stop/", {
          params: { path: { slug, binding } },
          body: { flush: way === "flush", discard: way === "discard" },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}
