import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useReducer, useRef, useState } from "react";
import { useSlug } from "../../../lib/account/session";
import { type Connection, useEventStream } from "../../../lib/api/eventStream";
import type { ProgressReport, RunHistoryResponse, RunResponse, RunState } from "../../../model/api";
import { EMPTY_HISTORY, type RunHistory, withHistory, withReports } from "../../../model/run/history";
import type { Ticks } from "../../../model/time/ticks";
import { historyKey, runKey, useHistory } from "../requests";

const GATHER_MS = 200;

export interface LiveRun {
  state: RunState;
  history: RunHistory;
  connection: Connection;
  /** The lead of this machine's clock over the server's, in ticks. */
  ahead: Ticks;
  /** The wall-clock resolution of the history, in ticks; 0: batch by batch. */
  step: Ticks;
  /** The error that prevents showing the history; null without one. */
  unread: Error | null;
}

function stateOf(run: RunResponse): RunState {
  const { desired, observed, domain, message, changed_at, ended_at, steps } = run;
  return { run: run.id, desired, observed, domain, message, changed_at, ended_at, steps };
}

type Change = { loaded: RunHistoryResponse } | { reports: readonly ProgressReport[] };

function changed(history: RunHistory, change: Change): RunHistory {
  return "loaded" in change ? withHistory(history, change.loaded) : withReports(history, change.reports);
}

/** Collect reports briefly, so that many at once cause one render; also holds the history of a span. */
function useGathered(first: ProgressReport | null, loaded: RunHistoryResponse | undefined) {
  const [history, change] = useReducer(changed, first === null ? EMPTY_HISTORY : withReports(EMPTY_HISTORY, [first]));
  const gathered = useRef<ProgressReport[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (loaded !== undefined) change({ loaded });
  }, [loaded]);
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

/** Return the start of the event stream: after the first history, or at the newest report if the history failed. */
function useBeginning(history: RunHistoryResponse | undefined, failed: boolean): string | null {
  const [first, setFirst] = useState<string | null>(null);
  const begin = history?.entry ?? (failed ? "" : null);
  if (first === null && begin !== null) setFirst(begin);
  return first;
}

/** The live data of a run over its last `span`. */
export function useLiveRun(run: RunResponse, span: Ticks): LiveRun {
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
  const step = (past.data?.step_s ?? 0) * 1_000_000;
  return { state: now, history, connection, ahead, step, unread: past.error };
}
