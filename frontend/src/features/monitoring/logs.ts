import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import { EMPTY_LOG, type Log, type LogChoice, logQuery, withPage } from "../../model/logLines";

const EVERY_MS = 2_000;
/** Pages that are read at once: a long log comes in several turns, and the page stays quick. */
const MOST_PAGES = 12;

/** The lines of the log of a run that are looked for, up to now; read on every two seconds while `following`. */
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
