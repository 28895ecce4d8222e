import { useEffect, useReducer, useRef, useState } from "react";
import { type Connection, useEventStream } from "../../lib/eventStream";
import { useSlug } from "../../lib/session";
import type { ProgressReport, RunShown, RunState } from "../../model/api";
import { EMPTY_HISTORY, type RunHistory, withReports } from "../../model/history";

const GATHER_MS = 200;

export interface LiveRun {
  state: RunState;
  history: RunHistory;
  connection: Connection;
}

function stateOf(run: RunShown): RunState {
  const { desired, observed, domain, message, changed_at, ended_at, steps } = run;
  return { run: run.id, desired, observed, domain, message, changed_at, ended_at, steps };
}

/** Reports gathered for a moment, so that the history that comes first is drawn once. */
function useGathered(first: ProgressReport | null) {
  const [history, add] = useReducer(withReports, first === null ? EMPTY_HISTORY : withReports(EMPTY_HISTORY, [first]));
  const gathered = useRef<ProgressReport[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const take = (report: ProgressReport) => {
    gathered.current.push(report);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      add(gathered.current.splice(0));
    }, GATHER_MS);
  };
  return { history, take };
}

/** What is known of a run, as it happens. */
export function useLiveRun(run: RunShown): LiveRun {
  const slug = useSlug();
  const [told, setTold] = useState<RunState | null>(null);
  const { history, take } = useGathered(run.progress);
  const connection = useEventStream(`/api/t/${slug}/runs/${run.id}/events/`, {
    progress: (data) => take(data as ProgressReport),
    state: (data) => setTold(data as RunState),
  });
  const read = stateOf(run);
  const state = told !== null && told.changed_at >= read.changed_at ? told : read;
  return { state, history, connection };
}
