import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { Completions, QueryGraph } from "../../model/api";

/** A query as it is sent: a graph, a text, or a graph with the text whose comments and layout it keeps. */
export type Written = { text: string } | { graph: QueryGraph; text?: string };

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

export function useVersions(query: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "versions"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/{query}/versions/", { params: { path: { slug, query } } })),
  });
}

export function useStreamNames() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/", { params: { path: { slug } } })),
    select: (streams) => streams.map((stream) => stream.name),
  });
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

/** What the server finds in `written` once typing pauses; null is text that cannot be sent. */
export function useValidation(written: Written | null) {
  const slug = useSlug();
  const settled = useSettled(written);
  const validation = useQuery({
    queryKey: [slug, "validate", settled],
    queryFn: () =>
      unwrap(
        api.POST("/api/t/{slug}/queries/validate/", { params: { path: { slug } }, body: settled ?? { text: "" } }),
      ),
    enabled: settled !== null,
    placeholderData: (before) => before,
    staleTime: 10_000,
    gcTime: 30_000,
  });
  return { ...validation, checking: settled !== written || validation.isFetching };
}

/** What may be written at a place of a text. */
export function useCompletion(): (text: string, at: number) => Promise<Completions> {
  const slug = useSlug();
  return (text, at) =>
    unwrap(api.POST("/api/t/{slug}/queries/complete/", { params: { path: { slug } }, body: { text, at } }));
}

/** How a query that has no errors would run; it is given as the text that would be stored. */
export function useExplanation(written: { text: string } | null) {
  const slug = useSlug();
  const settled = useSettled(written);
  return useQuery({
    queryKey: [slug, "explain", settled],
    queryFn: () =>
      unwrap(api.POST("/api/t/{slug}/queries/explain/", { params: { path: { slug } }, body: settled ?? { text: "" } })),
    enabled: settled !== null,
    placeholderData: (before) => before,
  });
}
