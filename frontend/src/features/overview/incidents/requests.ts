import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";

const AGAIN_MS = 5_000;

/** An incident with its figures and timeline, read again while it is open. */
export function useIncident(incident: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "incidents", incident],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/incidents/{incident}/", { params: { path: { slug, incident } } })),
    refetchInterval: ({ state }) => (state.data?.incident.resolved_at === null ? AGAIN_MS : false),
  });
}

/** The address of the incident as Markdown. */
export function incidentFile(slug: string, incident: string): string {
  return `/api/t/${slug}/incidents/${incident}/file/`;
}

/** The actions on an incident; each returns when the server has answered and loaded pages are read again. */
export function useIncidentChanges(incident: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  const params = { path: { slug, incident } };
  const refresh = () =>
    Promise.all(["incidents", "alerts", "home"].map((kind) => queries.invalidateQueries({ queryKey: [slug, kind] })));
  return {
    take: async () => {
      await unwrap(api.POST("/api/t/{slug}/incidents/{incident}/take/", { params }));
      await refresh();
    },
    resolve: async (resolution: string) => {
      await unwrap(api.POST("/api/t/{slug}/incidents/{incident}/resolve/", { params, body: { resolution } }));
      await refresh();
    },
  };
}
