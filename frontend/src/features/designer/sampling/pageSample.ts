/** The sample of the page: one for the preview, the canvas and the simulator. */

import { createContext, useContext } from "react";
import type { StreamDefinition } from "../../../model/api";
import type { Sample } from "../../../model/simulation/sample/sample";
import type { useSettings } from "../simulator/settings/useSettings";
import type { Edits } from "../simulator/view";

export interface PageSample {
  sample: Sample;
  edits: Edits;
  /** The streams that the query reads, as far as they exist, by name. */
  streams: ReadonlyMap<string, StreamDefinition>;
  settings: ReturnType<typeof useSettings>;
  /** True while a sample is being loaded. */
  loading: boolean;
  error: unknown;
  /** A sentence about the origin of a sample that was loaded automatically; often empty. */
  note: string;
  /** Replace the sample by one of the streams that the query reads. */
  load: () => void;
}

export const PageSampleContext = createContext<PageSample | null>(null);

/** Return the sample of the page. Only for children of `SampledPage`. */
export function usePageSample(): PageSample {
  const found = useContext(PageSampleContext);
  if (found === null) throw new Error("usePageSample works only on the designer's page");
  return found;
}
