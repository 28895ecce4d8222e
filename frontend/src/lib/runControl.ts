/** Starting and stopping bindings. */

import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BeginAt, NextStart, RunShown, TimelineShown } from "../model/api";
import type { Ticks } from "../model/ticks";
import { ApiFailure, api, unwrap } from "./api";
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

/** A start of `binding` that begins at `begin`, if it still is the one that was `shown` (the mark of that). */
export interface StartWish {
  binding: string;
  begin?: BeginAt;
  shown?: string | null;
}

/** Whether a start was refused because it would not begin any more as it was shown. */
export function isOutdated(refusal: unknown): boolean {
  return refusal instanceof ApiFailure && refusal.code === "changed_meanwhile";
}

export function useStart() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ binding, ...body }: StartWish) =>
      once(`${slug} ${binding} ${JSON.stringify(body)}`, () =>
        unwrap(api.POST("/api/t/{slug}/bindings/{binding}/start/", { params: { path: { slug, binding } }, body })),
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

/** An input of a binding, which reads `stream`: what it holds, or why that was not answered. */
export interface AskedInput {
  input: string;
  stream: string;
  shown: TimelineShown | undefined;
  /** Whether it is asked now; one that `isPending` and is not asked waits for another. */
  isAsked: boolean;
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

/**
 * What the inputs of a binding, if it were of `version`, hold now, and how much of it came at `since` or later; null
 * until it is known which they are. One is asked after the other, so that each is shown when it has answered, while it
 * is `wanted`. The last answer stays meanwhile.
 */
export function useTimeline(
  binding: string,
  since: Ticks | null,
  { wanted = true, version }: { wanted?: boolean; version?: string | undefined } = {},
): { inputs: AskedInput[] | null; error: Error | null; retry: () => void; ask: (inputs: string[]) => Promise<void> } {
  const slug = useSlug();
  const queries = useQueryClient();
  const bound = useQuery({
    queryKey: [slug, "runs", "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
  });
  const bindingInputs = bound.data?.inputs ?? [];
  const names = bindingInputs.map(({ node }) => node);
  // Not among "runs", which are read anew after a start: that would wait for an input that takes its time.
  const keys = names.map((input) => [slug, "timeline", binding, version, since, input]);
  const more = { ...(since === null ? {} : { since }), ...(version === undefined ? {} : { query_version: version }) };
  const isAnswered = (key: unknown[] | undefined) =>
    key === undefined || (queries.getQueryState(key)?.status ?? "pending") !== "pending";
  const asked = useQueries({
    queries: names.map((input, number) => ({
      queryKey: keys[number] ?? [],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        unwrap(
          api.GET("/api/t/{slug}/bindings/{binding}/timeline/", {
            params: { path: { slug, binding }, query: { input, ...more } },
            signal, // whoever closes the dialog ends what is asked for it
          }),
        ),
      enabled: wanted && isAnswered(keys[number - 1]),
      placeholderData: keepPreviousData,
      staleTime: 0,
      gcTime: 0,
      retry: false,
      refetchOnWindowFocus: false,
    })),
  });
  const inputs = asked.map((each, number) => ({
    input: names[number] ?? "",
    stream: bindingInputs[number]?.stream_name ?? "",
    shown: each.data,
    isAsked: each.isFetching,
    isPending: each.isPending || each.isPlaceholderData,
    error: each.error,
    retry: () => void each.refetch(),
  }));
  const ask = async (wanted: string[]) => {
    for (const [number, each] of asked.entries()) if (wanted.includes(names[number] ?? "")) await each.refetch();
  };
  return {
    ask,
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
