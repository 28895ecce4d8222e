import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";

/** The server's figures are at most three seconds old, so those on the page are at most five. */
const AGAIN_MS = 2_000;

export interface HomeFilters {
  name: string;
  tag: string;
  owner: string;
  order: "worst" | "name";
  skip: number;
}

/** The live queries that the filters leave, read again every two seconds while the page is visible. */
export function useHome(filters: HomeFilters) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "home", filters],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/home/", { params: { path: { slug }, query: filters } })),
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}
