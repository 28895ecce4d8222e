import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useOrganisation, useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { everyStream } from "../../lib/api/lists";
import type { StreamBody, TokenBody } from "../../model/api";

export function useStreams() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => everyStream(slug),
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

export function useInbox(stream: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "streams", stream, "inbox"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/{stream}/rows/", { params: { path: { slug, stream } } })),
    refetchInterval: 3_000,
  });
}

/** Create a token for the user that can only push. It is not cached, and lost when the page is left. */
export function useMakePushToken(name: string) {
  const slug = useSlug();
  const role = useOrganisation()?.role ?? "viewer";
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const body: TokenBody = { name: `push to ${name}`, role, expires_in_days: 90, scopes: ["push"] };
      const made = await unwrap(api.POST("/api/t/{slug}/tokens/", { params: { path: { slug } }, body }));
      return made.token;
    },
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "tokens"] }),
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
