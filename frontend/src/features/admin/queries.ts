import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { TokenBody } from "../../model/api";

export function useTokens() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "tokens"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/tokens/", { params: { path: { slug } } })),
  });
}

export function useCreateToken() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: TokenBody) => unwrap(api.POST("/api/t/{slug}/tokens/", { params: { path: { slug } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "tokens"] }),
  });
}

export function useRevokeToken() {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (token: string) =>
      unwrap(api.DELETE("/api/t/{slug}/tokens/{token}/", { params: { path: { slug, token } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [slug, "tokens"] }),
  });
}
