import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { everyQuery, everyStream } from "../../lib/api/lists";
import type { BindingChange, BindingResponse } from "../../model/api";
import type { NewBindingBody } from "./BindingForm";

const EVERY_MS = 3_000;
/** Ended runs never change, and new runs show in their binding, so the list is polled rarely. */
const SELDOM_MS = 30_000;

export function useBindings() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "bindings"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params: { path: { slug } } })),
    refetchInterval: EVERY_MS,
  });
}

/** Reload a list of runs at once when a binding has a new run, or its run changes state. */
function useReadWithRuns(queryKey: readonly string[], bindings: readonly BindingResponse[] | undefined) {
  const queries = useQueryClient();
  const key = JSON.stringify(queryKey);
  const states = bindings?.map(({ latest_run: run }) => `${run?.id} ${run?.observed} ${run?.desired}`).join();
  useEffect(() => {
    if (states !== undefined) void queries.invalidateQueries({ queryKey: JSON.parse(key) });
  }, [queries, key, states]);
}

/** The newest runs; reloaded at once when a binding has a new run, or its run changes state. */
export function useRuns() {
  const slug = useSlug();
  useReadWithRuns([slug, "runs", "all"], useBindings().data);
  return useQuery({
    queryKey: [slug, "runs", "all"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/runs/", { params: { path: { slug } } })),
    refetchInterval: SELDOM_MS,
  });
}

/** The queries available for a new binding. */
export function useQueryChoices(wanted = true) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries"],
    queryFn: () => everyQuery(slug),
    enabled: wanted,
  });
}

/**
 * A request body, and a callback for when it is stored. The draft of a form must be deleted in this callback and not in
 * one of `mutate`: those run after the reload, or never if the reload renders the form again. The form would then find
 * its draft and report it as unsaved.
 */
interface Sending<T> {
  body: T;
  onStored: () => void;
}

export function useCreateBinding() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, onStored }: Sending<NewBindingBody>) => {
      const made = await unwrap(api.POST("/api/t/{slug}/bindings/", { params: { path: { slug } }, body }));
      onStored();
      return made;
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "runs"] }),
  });
}

export function useBinding(binding: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
    refetchInterval: EVERY_MS,
  });
}

export function useRunsOf(binding: string) {
  const slug = useSlug();
  const shown = useBinding(binding).data;
  useReadWithRuns([slug, "runs", "of", binding], shown === undefined ? undefined : [shown]);
  return useQuery({
    queryKey: [slug, "runs", "of", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/runs/", { params: { path: { slug }, query: { binding } } })),
    refetchInterval: SELDOM_MS,
  });
}

export function useStreamChoices() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => everyStream(slug),
  });
}

/** Revisions that this browser replaced, each with its successor, so that two forms on a page don't conflict. */
const SUCCESSORS = new Map<string, string>();

export function newestOwn(revision: string): string {
  const next = SUCCESSORS.get(revision);
  return next === undefined ? revision : newestOwn(next);
}

function succeed(before: string, after: string): void {
  SUCCESSORS.delete(after); // a reverted change ends the chain, so it has no cycle
  if (before !== after) SUCCESSORS.set(before, after);
}

export function useChangeBinding(binding: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, onStored }: Sending<BindingChange>) => {
      const upon = body.upon == null ? null : newestOwn(body.upon);
      const params = { path: { slug, binding } };
      const stored = await unwrap(
        api.PUT("/api/t/{slug}/bindings/{binding}/", { params, body: { ...body, ...(upon === null ? {} : { upon }) } }),
      );
      if (upon !== null) succeed(upon, stored.revision);
      onStored();
      return stored;
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [slug] }),
  });
}

export function useDeleteBinding(binding: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return async () => {
    await unwrap(api.DELETE("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } }));
    queries.removeQueries({ queryKey: [slug, "runs", "bindings", binding] });
    await queries.invalidateQueries({ queryKey: [slug, "runs"] });
  };
}
