import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { everyQuery, everyStream } from "../../lib/api/lists";
import type { Completions, QueryGraph, VersionResponse } from "../../model/api";
import type { Answer, Ask, Position } from "../../model/graph/edit/design";
import { useOwnStreams } from "./page/example";

export function useQueries() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries"],
    queryFn: () => everyQuery(slug),
  });
}

export function useQueryDefinition(query: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/{query}/", { params: { path: { slug, query } } })),
  });
}

/** The names of the organisation's streams. */
export function useStoredStreamNames() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => everyStream(slug),
    select: (streams) => streams.map((stream) => stream.name),
  });
}

/** The names of the streams that a query may read, streams of an example first. */
export function useStreamNames() {
  const own = useOwnStreams().streams;
  const stored = useStoredStreamNames();
  const data = useMemo(() => {
    const names = own === undefined ? [] : Object.keys(own);
    return stored.data && [...names, ...stored.data.filter((name) => !names.includes(name))];
  }, [own, stored.data]);
  return { ...stored, data };
}

export function useCreateQuery() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (stored: { text: string }) =>
      unwrap(api.POST("/api/t/{slug}/queries/", { params: { path: { slug } }, body: { ...stored, comment: "" } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "queries"] }),
  });
}

interface NewVersion {
  text: string;
  parent: string;
  comment: string;
}

export function useCreateVersion(query: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, onStored }: { body: NewVersion; onStored: (version: VersionResponse) => void }) => {
      const address = "/api/t/{slug}/queries/{query}/versions/" as const;
      const version = await unwrap(api.POST(address, { params: { path: { slug, query } }, body }));
      onStored(version); // before the reload, which would otherwise see an unsaved draft
      return version;
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "queries"] }),
  });
}

export function useRenameQuery(query: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; parent: string }) =>
      unwrap(api.PUT("/api/t/{slug}/queries/{query}/", { params: { path: { slug, query } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug] }),
  });
}

export function useDeleteQuery(query: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return async () => {
    await unwrap(api.DELETE("/api/t/{slug}/queries/{query}/", { params: { path: { slug, query } } }));
    queries.removeQueries({ queryKey: [slug, "queries", query] });
    await queries.invalidateQueries({ queryKey: [slug, "queries"], exact: true });
  };
}

const PAUSE_MS = 350;

/** Return a value once it has stayed the same for a while. A primitive: a new object with each rendering would never settle. */
function useSettled<T extends string | null>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const AT_ONCE_MS = 40;

/**
 * Send the edited query to the server once typing pauses, and pass on the answer. Outdated requests are cancelled.
 * An answer names its `revision`, so that none is mistaken for the answer to another request.
 */
export function useAsked(ask: Ask | null, revision: number, onAnswer: (answer: Answer) => void) {
  const slug = useSlug();
  const own = useOwnStreams();
  const [failed, setFailed] = useState<{ error: unknown; revision: number } | null>(null);
  const [tries, setTries] = useState(0);
  const tell = useRef(onAnswer);
  const asked = useRef(ask);
  useEffect(() => {
    tell.current = onAnswer;
    asked.current = ask;
  });
  const open = ask !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try is a new request
  useEffect(() => {
    const body = asked.current;
    if (!open || body === null) return undefined;
    const taken = new AbortController();
    const send = async () => {
      const sent = { params: { path: { slug } }, body: { ...body, ...own }, signal: taken.signal };
      try {
        const answer = await unwrap(api.POST("/api/t/{slug}/queries/validate/", sent));
        if (!taken.signal.aborted) tell.current(answer);
      } catch (error) {
        if (!taken.signal.aborted) setFailed({ error, revision });
      }
    };
    const timer = setTimeout(() => void send(), "graph" in body ? AT_ONCE_MS : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      taken.abort();
    };
  }, [slug, own, open, revision, tries]);
  const retry = () => {
    setFailed(null);
    setTries((before) => before + 1);
  };
  return { error: failed?.revision === revision && open ? failed.error : null, retry };
}

/** Load completions at a position of a node's expression. */
export function useExpressionCompletion(): (
  graph: QueryGraph,
  node: string,
  expression: string,
  at: number,
) => Promise<Completions> {
  const slug = useSlug();
  const own = useOwnStreams();
  return useCallback(
    (graph, node, expression, at) => {
      const sent = { params: { path: { slug } }, body: { graph, node, expression, at, ...own } };
      return unwrap(api.POST("/api/t/{slug}/queries/complete-expression/", sent));
    },
    [slug, own],
  );
}

/** Load the node positions of a stored query. */
export function useLayout(query: string | null) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "layout"],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/queries/{query}/layout/", { params: { path: { slug, query: query ?? "" } } })),
    enabled: query !== null,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Send node positions; null removes one. */
export function useMoving(): (query: string, positions: Record<string, Position | null>) => Promise<unknown> {
  const slug = useSlug();
  return useCallback(
    (query, positions) =>
      unwrap(
        api.PUT("/api/t/{slug}/queries/{query}/layout/", { params: { path: { slug, query } }, body: { positions } }),
      ),
    [slug],
  );
}

/** Load completions at a position of a text. */
export function useCompletion(): (text: string, at: number) => Promise<Completions> {
  const slug = useSlug();
  const own = useOwnStreams();
  return (text, at) =>
    unwrap(api.POST("/api/t/{slug}/queries/complete/", { params: { path: { slug } }, body: { text, at, ...own } }));
}

/** Validate a text once typing pauses, in addition to the editors' checks; null while the text is unknown. */
export function useValidation(text: string | null) {
  const slug = useSlug();
  const settled = useSettled(text);
  const own = useOwnStreams();
  return useQuery({
    queryKey: [slug, "validate", settled, own],
    queryFn: () =>
      unwrap(
        api.POST("/api/t/{slug}/queries/validate/", {
          params: { path: { slug } },
          body: { text: settled ?? "", ...own },
        }),
      ),
    enabled: settled !== null,
    placeholderData: (before) => before,
    staleTime: 10_000,
    gcTime: 30_000,
  });
}

/** Explain the execution of a query without errors; `text` is what would be stored. */
export function useExplanation(text: string) {
  const slug = useSlug();
  const settled = useSettled(text);
  const own = useOwnStreams();
  return useQuery({
    queryKey: [slug, "explain", settled, own],
    queryFn: () =>
      unwrap(
        api.POST("/api/t/{slug}/queries/explain/", {
          params: { path: { slug } },
          body: { text: settled, ...own },
        }),
      ),
    placeholderData: (before) => before,
  });
}
