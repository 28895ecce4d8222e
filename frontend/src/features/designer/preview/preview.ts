/** The results of the query on the screen, on the sample of the page. */

import { createContext, useContext } from "react";
import type { StreamDefinition } from "../../../model/api";
import type { NodeFigures } from "../../../model/simulation/figures";
import type { Sample } from "../../../model/simulation/sample/sample";
import type { Simulation } from "../../../model/simulation/types";

export interface PreviewRequest {
  text: string;
  sample: Sample;
  streams?: Readonly<Record<string, StreamDefinition>>;
}

/** An answer, and the request that it answers. */
export interface PreviewAnswer {
  request: PreviewRequest;
  simulation: Simulation;
}

export type PreviewState =
  /** The answer is that of the text and the sample on the screen. */
  | { kind: "current" }
  | { kind: "pending" }
  | { kind: "stopped" }
  | { kind: "failed"; error: unknown }
  /** Nothing can be previewed, for this reason. */
  | { kind: "blocked"; reason: string };

export interface Preview {
  state: PreviewState;
  /** The newest answer; unless the state is `current`, it is of an earlier text or sample. */
  answer: PreviewAnswer | null;
  /** By node, of the text on the screen; empty while they are unknown. */
  figures: ReadonlyMap<string, NodeFigures>;
  stop: () => void;
  retry: () => void;
}

const NO_FIGURES: ReadonlyMap<string, NodeFigures> = new Map();

export const NO_PREVIEW: Preview = {
  state: { kind: "pending" },
  answer: null,
  figures: NO_FIGURES,
  stop: () => undefined,
  retry: () => undefined,
};

/** Without a provider, for example for the graph of an older version, nothing is previewed. */
export const PreviewContext = createContext<Preview>(NO_PREVIEW);

export function usePreviewed(): Preview {
  return useContext(PreviewContext);
}
