import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { Completions, QueryGraph } from "../../model/api";
import type { Answer, Ask, Position } from "../../model/graphEdit/design";
import { useOwnStreams } from "./page/example";

export function useQueries() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/", { params: { path: { slug } } })),
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
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/", { params: { path: { slug } } })),
    select: (streams) => streams.map((stream) => stream.name),
  });
}

/** The names of the streams that a query may read; those of an example first. */
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
    mutationFn: (body: NewVersion) =>
      unwrap(api.POST("/api/t/{slug}/queries/{query}/versions/", { params: { path: { slug, query } }, body })),
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

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const AT_ONCE_MS = 40;

/**
 * Asks the server about what is edited, once typing pauses, and hands its answer on. A question that is no longer open is
 * taken back; answers are about `revision`, so that none is taken for the answer to another question.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try is a question of its own
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

/** What may be written at a place of an expression at a node. */
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

/** Where the nodes of a stored query were put. */
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

/** Sends where nodes were put; null forgets one. */
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

/** What may be written at a place of a text. */
export function useCompletion(): (text: string, at: number) => Promise<Completions> {
  const slug = useSlug();
  const own = useOwnStreams();
  return (text, at) =>
    unwrap(api.POST("/api/t/{slug}/queries/complete/", { params: { path: { slug } }, body: { text, at, ...own } }));
}

/** What the server finds in a text once typing pauses, beside what the editors ask for; null is text that is not known. */
export function useValidation(written: { text: string } | null) {
  const slug = useSlug();
  const settled = useSettled(written);
  const own = useOwnStreams();
  return useQuery({
    queryKey: [slug, "validate", settled, own],
    queryFn: () =>
      unwrap(
        api.POST("/api/t/{slug}/queries/validate/", {
          params: { path: { slug } },
          body: { text: "", ...settled, ...own },
        }),
      ),
    enabled: settled !== null,
    placeholderData: (before) => before,
    staleTime: 10_000,
    gcTime: 30_000,
  });
}

/** How a query that has no errors would run; it is given as the text that would be stored. */
export function useExplanation(written: { text: string } | null) {
  const slug = useSlug();
  const settled = useSettled(written);
  const own = useOwnStreams();
  return useQuery({
    queryKey: [slug, "explain", settled, own],
    queryFn: () =>
      unwrap(
        api.POST("/api/t/{slug}/queries/explain/", {
          params: { path: { slug } },
          body: { text: "", ...settled, ...own },
        }),
      ),
    enabled: settled !== null,
    placeholderData: (before) => before,
  });
}
