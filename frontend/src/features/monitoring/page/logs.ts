import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { EMPTY_LOG, type Log, type LogChoice, logQuery, withPage } from "../../../model/run/logLines";

const EVERY_MS = 2_000;
/** The number of pages per read: a long log arrives in several reads, so that the page stays responsive. */
const MOST_PAGES = 12;

/** The matching log lines of a run so far; polled every two seconds while `following`. */
export function useLog(run: string, choice: LogChoice, following: boolean) {
  const slug = useSlug();
  const queries = useQueryClient();
  const wanted = logQuery(choice);
  const key = [slug, "runs", run, "log", wanted];
  const read = async (): Promise<Log> => {
    let log = queries.getQueryData<Log>(key) ?? EMPTY_LOG;
    for (let turn = 0; turn < MOST_PAGES; turn += 1) {
      const query = { ...wanted, ...(log.next === null ? {} : { after: log.next }) };
      const page = await unwrap(api.GET("/api/t/{slug}/runs/{run}/logs/", { params: { path: { slug, run }, query } }));
      log = withPage(log, page);
      if (page.lines.length === 0) break;
    }
    return log;
  };
  return useQuery({ queryKey: key, queryFn: read, staleTime: 0, refetchInterval: following ? EVERY_MS : false });
}
