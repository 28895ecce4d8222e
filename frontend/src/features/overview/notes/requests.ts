import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import type { AnnotationRequest } from "../../../model/api";
import type { Span } from "../../../model/live/ranges";

const AGAIN_MS = 10_000;

/** The newest 200 notes of a binding, and of all bindings, in a range. */
export function useNoteList(binding: string, { begin, end }: Span) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "notes", binding, begin, end],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/annotations/", { params: { path: { slug }, query: { binding, begin, end } } })),
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

/** The changes of notes; each returns when the server has answered and loaded notes are read again. */
export function useNoteChanges() {
  const slug = useSlug();
  const queries = useQueryClient();
  const refresh = () =>
    Promise.all(["notes", "incidents"].map((kind) => queries.invalidateQueries({ queryKey: [slug, kind] })));
  return {
    create: async (body: AnnotationRequest) => {
      await unwrap(api.POST("/api/t/{slug}/annotations/", { params: { path: { slug } }, body }));
      await refresh();
    },
    remove: async (annotation: string) => {
      await unwrap(api.DELETE("/api/t/{slug}/annotations/{annotation}/", { params: { path: { slug, annotation } } }));
      await refresh();
    },
  };
}
