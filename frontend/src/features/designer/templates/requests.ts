import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";
import type { ChosenStream } from "../../../model/api";

export function useTemplates() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "templates"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/templates/", { params: { path: { slug } } })),
    staleTime: Number.POSITIVE_INFINITY, // they come with the program
  });
}

/** Makes the query of a template, with its streams and its scenario. */
export function useTakeTemplate() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (template: string) =>
      unwrap(api.POST("/api/t/{slug}/templates/{template}/", { params: { path: { slug, template } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug] }),
  });
}

/** The inputs of a template, each with the streams that it could read; asked anew each time, for streams change. */
export function useTemplateInputs(template: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams", "for", template],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/templates/{template}/streams/", { params: { path: { slug, template } } })),
    staleTime: 0,
  });
}

export type ChosenStreams = Readonly<Record<string, ChosenStream>>;

/** What the template becomes on these streams; what was shown before stays until that is known. */
export function useTemplatePreview(template: string, streams: ChosenStreams | null) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams", "for", template, streams],
    queryFn: () =>
      unwrap(
        api.POST("/api/t/{slug}/templates/{template}/preview/", {
          params: { path: { slug, template } },
          body: { streams: streams ?? {} },
        }),
      ),
    enabled: streams !== null,
    placeholderData: keepPreviousData,
  });
}

/** Makes the query of a template on chosen streams. */
export function useTakeOnStreams(template: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (streams: ChosenStreams) =>
      unwrap(
        api.POST("/api/t/{slug}/templates/{template}/streams/", {
          params: { path: { slug, template } },
          body: { streams },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "queries"] }),
  });
}
