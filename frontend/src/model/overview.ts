/** What an organisation looks like at a glance: what runs, what needs somebody, and what comes next. */

import type { BindingShown } from "./api";
import { isOpen } from "./states";

export interface Contents {
  streams: readonly { id: string; name: string }[];
  queries: readonly { id: string; name: string }[];
  bindings: readonly BindingShown[];
}

/** Bindings whose run is not over, those first that were started last. */
export function runningBindings(bindings: readonly BindingShown[]): BindingShown[] {
  return bindings
    .filter(({ latest_run }) => latest_run !== null && isOpen(latest_run))
    .sort((one, other) => (other.latest_run?.created_at ?? "").localeCompare(one.latest_run?.created_at ?? ""));
}

/** Bindings whose last run failed, or of which nothing is known. */
export function troubledBindings(bindings: readonly BindingShown[]): BindingShown[] {
  return bindings.filter(({ latest_run }) => latest_run?.observed === "failed" || latest_run?.observed === "lost");
}

export interface NextStep {
  title: string;
  words: string;
  /** Where it is done, inside of the organisation. */
  to: string;
  action: string;
  done: boolean;
}

/** The way from nothing to results; the first step that is not done is the next one. */
export function stepsOf({ streams, queries, bindings }: Contents): NextStep[] {
  const started = bindings.find((binding) => binding.latest_run !== null);
  const bound = bindings[0];
  return [
    {
      title: "A stream",
      words: "says where events come from, which fields they have, and what makes their time move.",
      to: "streams/new",
      action: "Create a stream",
      done: streams.length > 0,
    },
    {
      title: "A query",
      words: "says what is computed from which streams, as SQL or as a graph.",
      to: "queries/new",
      action: "Write a query",
      done: queries.length > 0,
    },
    {
      title: "A binding",
      words: "joins a version of the query to the streams that feed it.",
      to: "runs?new",
      action: "Make a binding",
      done: bound !== undefined,
    },
    {
      title: "A run",
      words: "is a binding that was started. Its page shows results, late rows and the log.",
      to: "runs",
      action: bound === undefined ? "See the bindings" : `Start ${bound.name}`,
      done: started !== undefined,
    },
  ];
}
