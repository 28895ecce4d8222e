import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import type { ReplayBody } from "../../../model/api";

/** The polling interval while the rows of a repair are being emitted. */
const POLL_MS = 2_000;

/** The repairs of a binding. When a repair's rows are emitted, the rows of its run reload. */
export function useRepairs(binding: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: [slug, "bindings", binding, "repairs"],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/bindings/{binding}/repairs/", { params: { path: { slug, binding } } })),
    refetchInterval: ({ state }) => (state.data?.some((each) => each.given_at === null) ? POLL_MS : false),
  });
  const given = found.data?.filter((each) => each.given_at !== null).length;
  useEffect(() => {
    if (given === undefined || given === 0) return;
    for (const rows of ["results", "quarantine"])
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === slug && queryKey[1] === "runs" && queryKey[3] === rows,
      });
  }, [queries, slug, given]);
  return found;
}

/** Restore rows to the results. */
export function useRepair(binding: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ReplayBody) =>
      unwrap(api.POST("/api/t/{slug}/bindings/{binding}/repairs/", { params: { path: { slug, binding } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, "bindings", binding, "repairs"] }),
  });
}
