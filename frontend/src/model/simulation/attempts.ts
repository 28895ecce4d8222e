/** The attempts of sequences after `k` rows of the sample, by node and group. */

import { stepAt } from "./currentState";
import type { AttemptRow, AttemptState, SimulatedAttempt } from "./types";

export interface CurrentAttempt {
  attempt: SimulatedAttempt;
  state: AttemptState;
  /** The rows that it has taken, in order. */
  taken: readonly AttemptRow[];
}

/** Return an attempt at `k`; null before it begins. */
export function attemptAt(attempt: SimulatedAttempt, k: number): CurrentAttempt | null {
  const state = stepAt<AttemptState>(attempt.states, k);
  if (state === null) return null;
  let taken: readonly AttemptRow[] = [];
  for (const each of attempt.states) {
    if (each.after > state.after) break;
    taken = [...taken.slice(0, each.kept), ...each.taken];
  }
  return { attempt, state, taken };
}

/** Neighbouring rows that one variable took. */
export interface TakenRun {
  variable: string;
  rows: readonly number[];
  excluded: boolean;
}

export function runsOf(taken: readonly AttemptRow[]): TakenRun[] {
  const found: TakenRun[] = [];
  for (const { variable, rows, excluded } of taken) {
    const last = found.at(-1);
    if (last?.variable === variable && last.excluded === excluded) {
      found[found.length - 1] = { ...last, rows: [...last.rows, ...rows] };
    } else {
      found.push({ variable, rows, excluded });
    }
  }
  return found;
}

export interface GroupAttempts {
  node: string;
  group: Readonly<Record<string, unknown>>;
  /** Attempts that took a row, or may still take one, in the order in which they began. */
  shown: readonly CurrentAttempt[];
  /** Attempts that failed at their first row. */
  notStarted: readonly CurrentAttempt[];
}

/** Return the groups of all sequences at `k`, in the order in which their first attempts began. */
export function attemptGroups(attempts: readonly SimulatedAttempt[], k: number): GroupAttempts[] {
  const found = new Map<string, GroupAttempts>();
  for (const attempt of attempts) {
    const current = attemptAt(attempt, k);
    if (current === null) continue;
    const key = JSON.stringify([attempt.node, attempt.group]);
    const before = found.get(key) ?? { node: attempt.node, group: attempt.group, shown: [], notStarted: [] };
    const none = current.state.status === "failed" && current.taken.length === 0;
    const list = none ? "notStarted" : "shown";
    found.set(key, { ...before, [list]: [...before[list], current] });
  }
  return [...found.values()];
}

/** Return the numbers of all rows that an attempt took, or at which it ended. */
export function rowsOfAttempt(attempt: SimulatedAttempt): number[] {
  const current = attemptAt(attempt, Number.POSITIVE_INFINITY);
  const taken = current?.taken.flatMap(({ rows }) => rows) ?? [];
  return [...new Set([...attempt.first, ...taken, ...(current?.state.ended_by ?? [])])].toSorted((a, b) => a - b);
}
