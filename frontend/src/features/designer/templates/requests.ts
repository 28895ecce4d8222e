import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";

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
