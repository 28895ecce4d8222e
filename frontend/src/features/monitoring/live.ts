import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useReducer, useRef, useState } from "react";
import { type Connection, useEventStream } from "../../lib/eventStream";
import { useSlug } from "../../lib/session";
import type { ProgressReport, RunHistoryShown, RunShown, RunState } from "../../model/api";
import { EMPTY_HISTORY, type RunHistory, withHistory, withReports } from "../../model/history";
import type { Ticks } from "../../model/ticks";
import { historyKey, runKey, useHistory } from "./requests";

const GATHER_MS = 200;

export interface LiveRun {
  state: RunState;
  history: RunHistory;
  connection: Connection;
  /** How far this machine's clock is ahead of the server's, in ticks. */
  ahead: Ticks;
  /** Why the history cannot be shown; null while it can. */
  unread: Error | null;
}

function stateOf(run: RunShown): RunState {
  const { desired, observed, domain, message, changed_at, ended_at, steps } = run;
  return { run: run.id, desired, observed, domain, message, changed_at, ended_at, steps };
}

type Change = { told: RunHistoryShown } | { reports: readonly ProgressReport[] };

function changed(history: RunHistory, change: Change): RunHistory {
  return "told" in change ? withHistory(history, change.told) : withReports(history, change.reports);
}

/** Reports gathered for a moment, so that many at once are drawn once; and what the server tells of a span of time. */
function useGathered(first: ProgressReport | null, told: RunHistoryShown | undefined) {
  const [history, change] = useReducer(changed, first === null ? EMPTY_HISTORY : withReports(EMPTY_HISTORY, [first]));
  const gathered = useRef<ProgressReport[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (told !== undefined) change({ told });
  }, [told]);
  useEffect(() => {
    if (first !== null) change({ reports: [first] });
  }, [first]);
  const take = (report: ProgressReport) => {
    gathered.current.push(report);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      change({ reports: gathered.current.splice(0) });
    }, GATHER_MS);
  };
  return { history, take };
}

/** Where the events begin: behind the first history that was told, or at the newest report where none can be. */
function useBeginning(told: RunHistoryShown | undefined, failed: boolean): string | null {
  const [first, setFirst] = useState<string | null>(null);
  const begin = told?.entry ?? (failed ? "" : null);
  if (first === null && begin !== null) setFirst(begin);
  return first;
}

/** What is known of a run over the last `span` of it, as it happens. */
export function useLiveRun(run: RunShown, span: Ticks): LiveRun {
  const slug = useSlug();
  const queries = useQueryClient();
  const [state, setState] = useState<RunState | null>(null);
  const past = useHistory(run.id, span);
  const { history, take } = useGathered(run.progress, past.data);
  const begin = useBeginning(past.data, past.isError);
  const address = `/api/t/${slug}/runs/${run.id}/events/?after=${begin}`;
  const connection = useEventStream(
    begin === null ? null : address,
    { progress: (data) => take(data as ProgressReport), state: (data) => setState(data as RunState) },
    {
      onReturn: () => {
        void queries.invalidateQueries({ queryKey: historyKey(slug, run.id) });
        void queries.invalidateQueries({ queryKey: runKey(slug, run.id), exact: true });
      },
      onRefused: () => void queries.invalidateQueries({ queryKey: runKey(slug, run.id), exact: true }),
    },
  );
  const read = stateOf(run);
  const now = state !== null && state.changed_at >= read.changed_at ? state : read;
  const ahead = past.data === undefined ? 0 : past.dataUpdatedAt * 1_000 - past.data.now;
  return { state: now, history, connection, ahead, unread: past.error };
}
