import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";

const EVERY_MS = 3_000;

/** The plans of the organisation, newest first. */
export function useConfirmations() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "confirmations"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/confirmations/", { params: { path: { slug } } })),
    refetchInterval: EVERY_MS,
  });
}

/** A plan with its effect; polled while its status can change. */
export function useConfirmation(confirmation: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "confirmations", confirmation],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/confirmations/{confirmation}/", { params: { path: { slug, confirmation } } })),
    refetchInterval: ({ state }) =>
      state.data?.status === "pending" || state.data?.status === "confirmed" ? EVERY_MS : false,
  });
}

/** Confirm or refuse a plan, then load it again, also after an error: somebody else may have decided. */
export function useDecide(confirmation: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return async (confirm: boolean) => {
    const params = { path: { slug, confirmation } };
    try {
      await unwrap(api.POST("/api/t/{slug}/confirmations/{confirmation}/decision/", { params, body: { confirm } }));
    } finally {
      await queries.invalidateQueries({ queryKey: [slug, "confirmations"] });
    }
  };
}
