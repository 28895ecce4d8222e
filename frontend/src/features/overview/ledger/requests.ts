import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { type DayRange, dayParams } from "../../../model/live/ledger";

const AGAIN_MS = 10_000;

/** The ledger of a binding, read again while the page is visible. */
export function useLedger(binding: string, range: DayRange) {
  const slug = useSlug();
  const query = "days" in range ? { days: range.days } : range;
  return useQuery({
    queryKey: [slug, "home", binding, "ledger", range],
    queryFn: () =>
      unwrap(api.GET("/api/t/{slug}/home/{binding}/ledger/", { params: { path: { slug, binding }, query } })),
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

/** The address of the signed file with the same days. */
export function ledgerFile(slug: string, binding: string, range: DayRange): string {
  const params = new URLSearchParams(dayParams(range));
  return `/api/t/${slug}/home/${binding}/ledger/file/?${params.toString()}`;
}
