/** The comparison of late policies as a table: a line for each outcome and result, a column for each policy. */

import type { ComparedRow, PolicyComparison } from "../api";
import { OUTCOMES, type Outcome } from "../run/outcomes";
import type { Ticks } from "../time/ticks";

export interface OutcomeOfPolicies {
  outcome: Outcome;
  /** By policy, in their order; null if the query does not support the policy. */
  counts: readonly (number | null)[];
}

export interface ResultOfPolicies {
  key: string;
  output: string;
  start: Ticks;
  end: Ticks | null;
  by: ReadonlyMap<string, ComparedRow>;
  differs: boolean;
}

function countOf(outcomes: PolicyComparison["policies"][number]["outcomes"], outcome: Outcome): number {
  return Object.values(outcomes).reduce((sum, counts) => sum + (counts[outcome] ?? 0), 0);
}

/** Return the identity of a result: rows of different policies with the same identity are one result. */
function placeOf(row: ComparedRow): readonly [string, Ticks, Ticks | null, string] {
  const today = row.today_payload !== null && row.today_start !== null;
  const payload = JSON.stringify(today ? row.today_payload : row.payload);
  return today ? [row.output, row.today_start ?? 0, row.today_end, payload] : [row.output, row.start, row.end, payload];
}

export function policyTable({ policies }: PolicyComparison): {
  outcomes: OutcomeOfPolicies[];
  results: ResultOfPolicies[];
} {
  const outcomes = OUTCOMES.map((outcome) => ({
    outcome,
    counts: policies.map((policy) => (policy.faults.length > 0 ? null : countOf(policy.outcomes, outcome))),
  })).filter(({ counts }) => counts.some((count) => count !== null && count > 0));
  const found = new Map<string, ResultOfPolicies & { by: Map<string, ComparedRow> }>();
  for (const policy of policies) {
    const seen = new Map<string, number>();
    for (const row of policy.rows) {
      const [output, start, end, payload] = placeOf(row);
      const place = `${output} ${start} ${end} ${payload}`;
      const nth = seen.get(place) ?? 0; // the same result twice is two results
      seen.set(place, nth + 1);
      const key = `${place} ${nth}`;
      const result = found.get(key) ?? { key, output, start, end, by: new Map(), differs: false };
      result.by.set(policy.policy, row);
      found.set(key, result);
    }
  }
  const run = policies.filter((policy) => policy.faults.length === 0);
  const results = [...found.values()].map((result) => ({ ...result, differs: differs(result, run.length) }));
  return { outcomes, results: results.toSorted((one, other) => one.start - other.start) };
}

function differs({ by }: ResultOfPolicies, policies: number): boolean {
  return by.size < policies || [...by.values()].some((row) => row.mark !== "same");
}
