import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import type { ChannelRequest, IncidentRequest, SilenceRequest } from "../../model/api";

const AGAIN_MS = 5_000;

/** Read the loaded alerts, silences, rules and channels again. */
export function useRefreshAlerts() {
  const slug = useSlug();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [slug, "alerts"] });
}

export function useRules() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "alerts", "rules"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/alerts/rules/", { params: { path: { slug } } })),
  });
}

export function useSilences() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "alerts", "silences"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/alerts/silences/", { params: { path: { slug } } })),
  });
}

export function useChannels() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "alerts", "channels"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/alerts/channels/", { params: { path: { slug } } })),
  });
}

export function useChannelKinds() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "alerts", "kinds"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/alerts/channel-kinds/", { params: { path: { slug } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The newest messages of a channel, read again while one of them waits. */
export function useChannelMessages(channel: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "alerts", "messages", channel],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/alerts/channels/{channel}/messages/", { params: { path: { slug, channel } } })),
    refetchInterval: ({ state }) => (state.data?.some((each) => each.state === "waiting") ? AGAIN_MS : false),
  });
}

export type IncidentState = "open" | "resolved";

/** The newest incidents of a state. */
export function useIncidents(state: IncidentState) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "incidents", "list", state],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/incidents/", { params: { path: { slug }, query: { state } } })),
    refetchInterval: 2 * AGAIN_MS,
  });
}

/** Open an incident by hand. */
export function useOpenIncident() {
  const slug = useSlug();
  const queries = useQueryClient();
  return async (body: IncidentRequest) => {
    await unwrap(api.POST("/api/t/{slug}/incidents/", { params: { path: { slug } }, body }));
    await queries.invalidateQueries({ queryKey: [slug, "incidents"] });
  };
}

/** The changes; each returns when the server has answered. */
export function useAlertChanges() {
  const slug = useSlug();
  return {
    acknowledge: (alert: string) =>
      unwrap(
        api.POST("/api/t/{slug}/alerts/{alert}/acknowledge/", {
          params: { path: { slug, alert } },
          body: { note: "" },
        }),
      ),
    silence: (body: SilenceRequest) =>
      unwrap(api.POST("/api/t/{slug}/alerts/silences/", { params: { path: { slug } }, body })),
    endSilence: (silence: string) =>
      unwrap(api.DELETE("/api/t/{slug}/alerts/silences/{silence}/", { params: { path: { slug, silence } } })),
    createChannel: (body: ChannelRequest) =>
      unwrap(api.POST("/api/t/{slug}/alerts/channels/", { params: { path: { slug } }, body })),
    deleteChannel: (channel: string) =>
      unwrap(api.DELETE("/api/t/{slug}/alerts/channels/{channel}/", { params: { path: { slug, channel } } })),
    testChannel: (channel: string) =>
      unwrap(api.POST("/api/t/{slug}/alerts/channels/{channel}/test/", { params: { path: { slug, channel } } })),
  };
}
