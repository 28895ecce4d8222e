import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { type AuditFilters, wantedEvents } from "../../messages/organisation/audit";
import type { Role, ServiceAccountBody, TokenBody } from "../../model/api";

/** Invalidate the loaded `parts` of the organisation, so that they are loaded again. */
export function useRefresh() {
  const slug = useSlug();
  const queries = useQueryClient();
  return (...parts: readonly string[]) =>
    Promise.all(parts.map((part) => queries.invalidateQueries({ queryKey: [slug, part] })));
}

export function useMembers() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "members"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/members/", { params: { path: { slug } } })),
  });
}

export function useInvitations(allowed: boolean) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "invitations"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/invitations/", { params: { path: { slug } } })),
    enabled: allowed,
  });
}

export function useChangeInvitation() {
  const slug = useSlug();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ invitation, role }: { invitation: string; role: Role }) =>
      unwrap(
        api.PUT("/api/t/{slug}/invitations/{invitation}/", { params: { path: { slug, invitation } }, body: { role } }),
      ),
    onSettled: () => refresh("invitations", "audit"),
  });
}

export function useServiceAccounts(allowed: boolean) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "service-accounts"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/service-accounts/", { params: { path: { slug } } })),
    enabled: allowed,
  });
}

export function useReplaceServiceAccount() {
  const slug = useSlug();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ account, body }: { account: string; body: ServiceAccountBody }) =>
      unwrap(api.PUT("/api/t/{slug}/service-accounts/{account}/", { params: { path: { slug, account } }, body })),
    onSettled: () => refresh("service-accounts"),
  });
}

/** The page size of the token list. */
const TOKENS_LISTED = 100;

/** The tokens of a service account; without one, those visible to the user, own tokens first. Paged. */
export function useTokens(account: string | null = null) {
  const slug = useSlug();
  return useInfiniteQuery({
    queryKey: [slug, "tokens", account],
    queryFn: ({ pageParam }) => {
      const query = pageParam === null ? {} : { before: pageParam };
      return account === null
        ? unwrap(api.GET("/api/t/{slug}/tokens/", { params: { path: { slug }, query } }))
        : unwrap(
            api.GET("/api/t/{slug}/service-accounts/{account}/tokens/", { params: { path: { slug, account }, query } }),
          );
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.length < TOKENS_LISTED ? null : (page.at(-1)?.id ?? null)),
    select: (found) => found.pages.flat(),
  });
}

/** Create a token for the user, or for a service account. */
export function useCreateToken(account: string | null) {
  const slug = useSlug();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: TokenBody) =>
      account === null
        ? unwrap(api.POST("/api/t/{slug}/tokens/", { params: { path: { slug } }, body }))
        : unwrap(
            api.POST("/api/t/{slug}/service-accounts/{account}/tokens/", { params: { path: { slug, account } }, body }),
          ),
    onSuccess: () => refresh("tokens", "service-accounts"),
  });
}

/** Rename a token visible to the user. */
export function useRenameToken() {
  const slug = useSlug();
  const refresh = useRefresh();
  return async (token: string, name: string) => {
    await unwrap(api.PUT("/api/t/{slug}/tokens/{token}/", { params: { path: { slug, token } }, body: { name } }));
    await refresh("tokens", "audit");
  };
}

export function useUsages() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "quotas"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/quotas/", { params: { path: { slug } } })),
    refetchInterval: 15_000,
  });
}

export function useKept() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "kept"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/kept/", { params: { path: { slug } } })),
    refetchInterval: 15_000,
  });
}

/** Bindings with an active run. */
export function useRunningBindings() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "open"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params: { path: { slug } } })),
    select: (bindings) =>
      new Set(bindings.filter(({ latest_run: run }) => run !== null && run.ended_at === null).map(({ id }) => id)),
    refetchInterval: 15_000,
  });
}

/** Audit events, newest first, paged. */
export function useAudit(filters: AuditFilters, allowed: boolean) {
  const slug = useSlug();
  return useInfiniteQuery({
    queryKey: [slug, "audit", filters],
    queryFn: ({ pageParam }) => {
      const query = { ...wantedEvents(filters), ...(pageParam === null ? {} : { before: pageParam }) };
      return unwrap(api.GET("/api/t/{slug}/audit/", { params: { path: { slug }, query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled: allowed,
  });
}

export function useOrganisationResponse() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "organisation"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/organisation/", { params: { path: { slug } } })),
  });
}

const LOOK_AGAIN_MS = 2_000;

/** The exports; polled while one is in progress. */
export function useExports(allowed: boolean) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "exports"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/exports/", { params: { path: { slug } } })),
    refetchInterval: ({ state }) =>
      state.data?.some((each) => each.state === "requested" || each.state === "writing") ? LOOK_AGAIN_MS : false,
    enabled: allowed,
  });
}

/** Delete an export and its file. */
export function useDeleteExport() {
  const slug = useSlug();
  const refresh = useRefresh();
  return async (made: string) => {
    await unwrap(api.DELETE("/api/t/{slug}/exports/{export}/", { params: { path: { slug, export: made } } }));
    await refresh("exports", "audit");
  };
}
