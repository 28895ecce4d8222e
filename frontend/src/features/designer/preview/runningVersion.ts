import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSlug } from "../../../lib/account/session";
import { useBindingsOf, useVersionsOf } from "../../../lib/resources/bindings";
import { runningNumbers } from "../../../model/run/runTarget";
import type { Simulation } from "../../../model/simulation/types";
import { useDesigner } from "../page/designer";
import type { PreviewAnswer, PreviewRequest } from "./preview";
import { simulationOf } from "./simulationOf";

/** The running version that the preview is compared with. */
export interface RunningComparison {
  /** The number of the version; null if none runs, or while it is unknown. */
  number: number | null;
  /** The numbers of further versions that run. */
  others: readonly number[];
  /** Its results on the sample of the answer; null while unknown. */
  simulation: Simulation | null;
  error: unknown;
}

/** Run the newest running version of the query on the sample of an answer. */
export function useRunningComparison(answer: PreviewAnswer | null): RunningComparison {
  const slug = useSlug();
  const query = useDesigner().query?.id ?? "";
  const bindings = useBindingsOf(query).data;
  const [number = null, ...others] = useMemo(() => runningNumbers(bindings ?? []), [bindings]);
  const versions = useVersionsOf(number === null ? "" : query).data;
  const text = versions?.find((each) => each.number === number)?.text;
  const request = useMemo(
    (): PreviewRequest | null => (answer === null || text === undefined ? null : { ...answer.request, text }),
    [answer, text],
  );
  const { data = null, error } = useQuery(simulationOf(slug, request));
  return { number, others, simulation: data, error };
}
