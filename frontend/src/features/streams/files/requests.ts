import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";

export function useFiles() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "files"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/files/", { params: { path: { slug } } })),
  });
}

export function useFinishUpload() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ upload, replace }: { upload: string; replace: boolean }) =>
      unwrap(
        api.POST("/api/t/{slug}/files/uploads/{upload}/finish/", {
          params: { path: { slug, upload } },
          body: { replace },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "files"] }),
  });
}

export function useCancelUpload() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (upload: string) =>
      unwrap(api.DELETE("/api/t/{slug}/files/uploads/{upload}/", { params: { path: { slug, upload } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "files"] }),
  });
}

export function useDeleteFile() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ path, even }: { path: string; even: boolean }) =>
      unwrap(api.DELETE("/api/t/{slug}/files/", { params: { path: { slug }, query: { path, even_if_read: even } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "files"] }),
  });
}
