/** An example of the guide on the page of a new query: it brings its own streams and rows, and nothing of it is stored. */

import { createContext, useContext, useMemo } from "react";
import type { StreamDefinition } from "../../../model/api";
import type { EndMode, SampleItem } from "../../../model/simulation/sample";

export interface GuideExample {
  name: string;
  /** The page of the guide that shows it. */
  page: string;
  caption: string;
  text: string;
  streams: Readonly<Record<string, StreamDefinition>>;
  rows: readonly SampleItem[];
  end: EndMode;
}

export const ExampleContext = createContext<GuideExample | null>(null);

/** The example of this page; null on all others. */
export function useExample(): GuideExample | null {
  return useContext(ExampleContext);
}

/** What is sent with every question about a query: the streams of the example, where there is one. */
export function useOwnStreams(): { streams?: Record<string, StreamDefinition> } {
  const streams = useExample()?.streams;
  return useMemo(() => (streams === undefined ? {} : { streams: { ...streams } }), [streams]);
}
