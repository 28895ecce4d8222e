import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import type { ScenarioBody } from "../../../model/api";

const SCENARIO = "/api/t/{slug}/queries/{query}/scenarios/{scenario}/";

export function useScenarios(query: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "scenarios"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/{query}/scenarios/", { params: { path: { slug, query } } })),
  });
}

/** Load the verdicts on the versions of a query. */
export function useVerdicts(query: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "verdicts"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/{query}/verdicts/", { params: { path: { slug, query } } })),
  });
}

/** Invalidate the list of scenarios and the verdicts. */
function useForget(query: string) {
  const slug = useSlug();
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: [slug, "queries", query, "scenarios"] });
    await queries.invalidateQueries({ queryKey: [slug, "queries", query, "verdicts"] });
  };
}

/** Run scenarios on a stored version, which stores the verdicts, or on a text. */
export function useRunScenarios(query: string) {
  const slug = useSlug();
  const forget = useForget(query);
  return useMutation({
    mutationFn: (body: { version: string } | { text: string }) =>
      unwrap(api.POST("/api/t/{slug}/queries/{query}/scenarios/run/", { params: { path: { slug, query } }, body })),
    onSuccess: (_, body) => ("version" in body ? forget() : undefined),
  });
}

export function useScenarioActions(query: string) {
  const slug = useSlug();
  const forget = useForget(query);
  const path = (scenario: string) => ({ params: { path: { slug, query, scenario } } });
  return {
    read: (scenario: string) => unwrap(api.GET(SCENARIO, path(scenario))),
    create: async (body: ScenarioBody) => {
      const address = "/api/t/{slug}/queries/{query}/scenarios/" as const;
      await unwrap(api.POST(address, { params: { path: { slug, query } }, body }));
      await forget();
    },
    replace: async (scenario: string, body: ScenarioBody) => {
      await unwrap(api.PUT(SCENARIO, { ...path(scenario), body }));
      await forget();
    },
    remove: async (scenario: string) => {
      await unwrap(api.DELETE(SCENARIO, path(scenario)));
      await forget();
    },
    observe: (body: Pick<ScenarioBody, "sample" | "advance"> & { text: string }) =>
      unwrap(api.POST("/api/t/{slug}/queries/{query}/scenarios/observe/", { params: { path: { slug, query } }, body })),
    readTranscript: (transcript: string) =>
      unwrap(
        api.POST("/api/t/{slug}/queries/{query}/scenarios/read/", {
          params: { path: { slug, query } },
          body: { transcript },
        }),
      ),
  };
}

/** Return the address of a scenario's transcript. */
export function useTranscriptAddress(query: string) {
  const slug = useSlug();
  return (scenario: string) => `/api/t/${slug}/queries/${query}/scenarios/${scenario}/transcript/`;
}
