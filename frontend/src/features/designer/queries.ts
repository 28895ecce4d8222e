import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { QueryGraph } from "../../model/api";

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
    mutationFn: (graph: QueryGraph) =>
      unwrap(api.POST("/api/t/{slug}/queries/", { params: { path: { slug } }, body: { graph, comment: "" } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "queries"] }),
  });
}

interface NewVersion {
  graph: QueryGraph;
  parent: string;
  comment: string;
}

export function useCreateVersion(query: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewVersion) =>
      unwrap(api.POST("/api/t/{slug}/queries/{query}/versions/", { params: { path: { slug, query } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "queries"] }),
  });
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

/** The faults of `graph` once typing pauses; null is text that is no JSON, which is not sent. */
export function useValidation(graph: unknown) {
  const slug = useSlug();
  const settled = useSettled(graph);
  const validation = useQuery({
    queryKey: [slug, "validate", settled],
    queryFn: () =>
      unwrap(
        api.POST("/api/t/{slug}/queries/validate/", {
          params: { path: { slug } },
          body: { graph: settled as QueryGraph }, // checked by the server, whatever it is
        }),
      ),
    enabled: settled !== null,
    placeholderData: (before) => before,
    staleTime: 10_000,
    gcTime: 30_000,
  });
  return { ...validation, checking: settled !== graph || validation.isFetching };
}
