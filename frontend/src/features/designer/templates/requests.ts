import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import type { ChosenStream } from "../../../model/api";

/** Load the templates; only once they are to be shown. */
export function useTemplates(isShown: boolean) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "templates"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/templates/", { params: { path: { slug } } })),
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY, // they come with the program
  });
}

/** Create the query of a template, with its streams and its scenario. */
export function useTakeTemplate() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (template: string) =>
      unwrap(api.POST("/api/t/{slug}/templates/{template}/", { params: { path: { slug, template } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug] }),
  });
}

/** Load the inputs of a template with the matching streams; not cached, because streams change. */
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

/** Preview the template with these streams; the previous preview stays until the new one arrives. */
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

/** Create the query of a template with chosen streams. */
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
