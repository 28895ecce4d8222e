/** Starting and stopping bindings. */

import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BeginAt, NextStart, RunResponse, TimelineResponse } from "../../model/api";
import type { Ticks } from "../../model/time/ticks";
import { useSlug } from "../account/session";
import { ApiFailure, api, unwrap } from "../api/client";

export type KeptBegin = NextStart["options"][number]["begin"];
/** The treatment of a stopped run's state. */
export type StopWay = "keep" | "flush" | "discard";

const underWay = new Map<string, Promise<RunResponse>>();

/** A second click can arrive before the button is disabled; it reuses the first response. */
function once(key: string, ask: () => Promise<RunResponse>): Promise<RunResponse> {
  const asked = underWay.get(key) ?? ask().finally(() => underWay.delete(key));
  underWay.set(key, asked);
  return asked;
}

/** A start of `binding` at `begin`, valid only if the server still offers the state of the mark `shown`. */
export interface StartChoice {
  binding: string;
  begin?: BeginAt;
  shown?: string | null;
}

/** Return true if a start was refused because it would differ from the displayed one. */
export function isOutdated(refusal: unknown): boolean {
  return refusal instanceof ApiFailure && refusal.code === "changed_meanwhile";
}

export function useStart() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ binding, ...body }: StartChoice) =>
      once(`${slug} ${binding} ${JSON.stringify(body)}`, () =>
        unwrap(api.POST("/api/t/{slug}/bindings/{binding}/start/", { params: { path: { slug, binding } }, body })),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}

/** The effect of a binding's next start, with `version`, on the saved state; loaded while `wanted`. */
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

/** An input of a binding, which reads `stream`: the rows that it has, or why that is unknown. */
export interface CheckedInput {
  input: string;
  stream: string;
  shown: TimelineResponse | undefined;
  /** True while it is being checked; a pending input that is not being checked waits for another one. */
  isAsked: boolean;
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

/**
 * The rows that the inputs of a binding, with `version`, have now, and how many arrived at `since` or later; null until
 * the inputs are known. They are checked one after the other while `wanted`, so that each appears when it has answered.
 * The last answer stays during a reload.
 */
export function useTimeline(
  binding: string,
  since: Ticks | null,
  { wanted = true, version }: { wanted?: boolean; version?: string | undefined } = {},
): { inputs: CheckedInput[] | null; error: Error | null; retry: () => void; ask: (inputs: string[]) => Promise<void> } {
  const slug = useSlug();
  const queries = useQueryClient();
  const bound = useQuery({
    queryKey: [slug, "runs", "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
  });
  const bindingInputs = bound.data?.inputs ?? [];
  const names = bindingInputs.map(({ node }) => node);
  // Not under "runs", which reload after a start: that would wait for slow inputs.
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
