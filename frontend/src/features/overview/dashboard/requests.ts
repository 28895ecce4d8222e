import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { type PageRange, rangeParams } from "../../../model/live/ranges";

/** The server's figures are at most three seconds old. */
const AGAIN_MS = 2_000;
/** Details are stored every ten seconds. */
const DETAILS_AGAIN_MS = 10_000;
const BRUSH_AGAIN_MS = 60_000;
/** Counting late rows reads the quarantine. */
const WHAT_IF_AGAIN_MS = 120_000;

function query(range: PageRange) {
  const { seconds, begin, end } = rangeParams(range);
  return {
    ...(seconds !== undefined && { seconds: Number(seconds) as 7_200 }),
    ...(begin !== undefined && end !== undefined && { begin: Number(begin), end: Number(end) }),
  };
}

interface RangeRequest {
  binding: string;
  /** Null: the server chooses it. */
  range: PageRange | null;
  enabled?: boolean;
}

function useFigures({ binding, range, enabled = true }: RangeRequest, againMs: number) {
  const slug = useSlug();
  const path = { slug, binding };
  return useQuery({
    queryKey: [slug, "home", binding, range],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/home/{binding}/", { params: { path, query: range === null ? {} : query(range) } })),
    enabled,
    refetchInterval: againMs,
    placeholderData: keepPreviousData,
  });
}

/** The figures of a binding in a range, read again while the page is visible; null: the server chooses the range. */
export function useDashboard(binding: string, range: PageRange | null) {
  return useFigures({ binding, range }, AGAIN_MS);
}

/** The figures of another range: that of the brush, or one to compare with; null: no request. */
export function useOtherFigures(binding: string, range: PageRange | null) {
  return useFigures({ binding, range, enabled: range !== null }, BRUSH_AGAIN_MS);
}

/** The loss budget of a binding over 30 days. */
export function useBudget(binding: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "home", binding, "budget"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/home/{binding}/budget/", { params: { path: { slug, binding } } })),
    refetchInterval: DETAILS_AGAIN_MS,
  });
}

/** The freshness budget of a binding over 30 days; null without a freshness level. */
export function useFreshness(binding: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "home", binding, "freshness"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/home/{binding}/freshness/", { params: { path: { slug, binding } } })),
    refetchInterval: DETAILS_AGAIN_MS,
  });
}

/** The charts of a binding in a range: distances, lanes and parts of the lag. */
export function useDetails(binding: string, range: PageRange | null) {
  const slug = useSlug();
  const path = { slug, binding };
  return useQuery({
    queryKey: [slug, "home", binding, "details", range],
    queryFn: () =>
      unwrap(
        api.GET("/api/t/{slug}/home/{binding}/details/", {
          params: { path, query: range === null ? {} : query(range) },
        }),
      ),
    enabled: range !== null,
    refetchInterval: DETAILS_AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

/** The effect of other delays on the late rows of a range. */
export function useWhatIf(binding: string, range: PageRange) {
  const slug = useSlug();
  const path = { slug, binding };
  return useQuery({
    queryKey: [slug, "home", binding, "what-if", range],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/home/{binding}/what-if/", { params: { path, query: query(range) } })),
    refetchInterval: WHAT_IF_AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}
