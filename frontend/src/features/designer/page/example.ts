/** A guide example on the page of a new query. It has its own streams and rows, and nothing is stored. */

import { createContext, useContext, useMemo } from "react";
import type { StreamDefinition } from "../../../model/api";
import type { EndMode, SampleItem } from "../../../model/simulation/sample/sample";

export interface GuideExample {
  name: string;
  /** The guide page that shows it. */
  page: string;
  caption: string;
  text: string;
  streams: Readonly<Record<string, StreamDefinition>>;
  rows: readonly SampleItem[];
  end: EndMode;
}

export const ExampleContext = createContext<GuideExample | null>(null);

/** Return the example of this page; null on other pages. */
export function useExample(): GuideExample | null {
  return useContext(ExampleContext);
}

/** Return the example's streams, to send with every request about the query; empty without an example. */
export function useOwnStreams(): { streams?: Record<string, StreamDefinition> } {
  const streams = useExample()?.streams;
  return useMemo(() => (streams === undefined ? {} : { streams: { ...streams } }), [streams]);
}
