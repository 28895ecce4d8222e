import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { StreamBody } from "../../model/api";

export function useStreams() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/", { params: { path: { slug } } })),
  });
}

export function useStream(stream: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams", stream],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/{stream}/", { params: { path: { slug, stream } } })),
  });
}

export function useSample(stream: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams", stream, "sample"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/{stream}/sample/", { params: { path: { slug, stream } } })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export function useAdapterKinds() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "adapters"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/adapters/", { params: { path: { slug } } })),
    staleTime: 600_000,
  });
}

export function useCreateStream() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: StreamBody) => unwrap(api.POST("/api/t/{slug}/streams/", { params: { path: { slug } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "streams"] }),
  });
}

export interface StreamChange extends StreamBody {
  upon: string;
}

export function useReplaceStream(stream: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: StreamChange) =>
      unwrap(api.PUT("/api/t/{slug}/streams/{stream}/", { params: { path: { slug, stream } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug] }),
  });
}

export function useDeleteStream() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (stream: string) =>
      unwrap(api.DELETE("/api/t/{slug}/streams/{stream}/", { params: { path: { slug, stream } } })),
    onSuccess: (_, stream) => {
      queries.removeQueries({ queryKey: [slug, "streams", stream] });
      return queries.invalidateQueries({ queryKey: [slug, "streams"], exact: true });
    },
  });
}
