/** The steps from an empty organisation to its first results. */

import type { BindingResponse } from "../api";

export interface Contents {
  streams: readonly { id: string; name: string }[];
  queries: readonly { id: string; name: string }[];
  bindings: readonly BindingResponse[];
}

export interface NextStep {
  title: string;
  words: string;
  /** The page of the step, within the organisation. */
  to: string;
  action: string;
  done: boolean;
}

/** Return the steps from an empty organisation to results; the first open one is next. */
export function stepsOf({ streams, queries, bindings }: Contents): NextStep[] {
  const started = bindings.find((binding) => binding.latest_run !== null);
  const bound = bindings[0];
  return [
    {
      title: "A stream",
      words: "defines where events come from, their fields, and how their time advances.",
      to: "streams/new",
      action: "Create a stream",
      done: streams.length > 0,
    },
    {
      title: "A query",
      words: "computes results from streams, as SQL or as a graph.",
      to: "queries/new",
      action: "Write a query",
      done: queries.length > 0,
    },
    {
      title: "A binding",
      words: "connects a version of the query to its input streams.",
      to: "runs?new",
      action: "Create a binding",
      done: bound !== undefined,
    },
    {
      title: "A run",
      words: "is a started binding. Its page shows results, late rows and the log.",
      to: "runs",
      action: bound === undefined ? "Open bindings" : `Start ${bound.name}`,
      done: started !== undefined,
    },
  ];
}
