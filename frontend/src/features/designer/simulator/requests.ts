import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";
import type { StreamDefinition } from "../../../model/api";
import {
  type Differences,
  differencesBetween,
  differenceWords,
  type NamedSimulation,
} from "../../../model/simulation/differences";
import { itemsOf, lineKeys, type Sample } from "../../../model/simulation/sample";
import type { SampleItem, SimulatedRow, Simulation } from "../../../model/simulation/types";
import { useOwnStreams } from "../page/example";
import type { AdvanceByInput } from "./triedStore";

/** What is simulated: a query as text, a sample, and settings that are tried instead of those that the text says. */
export interface Simulated {
  text: string;
  sample: Sample;
  advance: AdvanceByInput;
  /** Whether an input copies the CTIs of another one. */
  imports: boolean;
  /** Streams that only this query knows: those of an example. */
  streams?: Record<string, StreamDefinition>;
}

export function useStreamDefinitions() {
  const slug = useSlug();
  const own = useOwnStreams();
  const select = useCallback(
    (streams: readonly { name: string; definition: StreamDefinition }[]): ReadonlyMap<string, StreamDefinition> =>
      new Map([
        ...streams.map((stream) => [stream.name, stream.definition] as const),
        ...Object.entries(own.streams ?? {}),
      ]),
    [own],
  );
  return useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/", { params: { path: { slug } } })),
    select,
  });
}

const PAUSE_MS = 120;

export interface SimulationState {
  /** The newest simulation that there is, perhaps of what was there before. */
  named: NamedSimulation | null;
  differences: Differences | null;
  pending: boolean;
  error: unknown;
  retry: () => void;
}

/** Where CTIs are imported each row is a micro-batch, unless the sample marks its own: they arrive with the next one. */
function bodyOf({ text, sample, advance, imports, streams = {} }: Simulated) {
  return { text, advance, streams, sample: { rows: itemsOf(sample, imports) as SampleItem[], end: sample.end } };
}

/** Simulates anew a moment after `asked` has changed, and gives up what was asked before. Null: there is nothing to ask. */
export function useSimulation(asked: Simulated | null): SimulationState {
  const slug = useSlug();
  const [state, setState] = useState<Omit<SimulationState, "retry">>(NOTHING);
  const [again, setAgain] = useState(0);
  const latest = useRef<NamedSimulation | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` asks the same once more
  useEffect(() => {
    if (asked === null) return undefined;
    const giving = new AbortController();
    setState((before) => ({ ...before, pending: true }));
    const settle = (next: Partial<SimulationState>) => {
      if (!giving.signal.aborted) setState((before) => ({ ...before, pending: false, ...next }));
    };
    const ask = async () => {
      const simulation = await simulate(slug, asked, giving.signal);
      const named = { simulation, keys: lineKeys(asked.sample, simulation.rows) };
      const differences = latest.current === null ? null : differencesBetween(latest.current, named);
      if (giving.signal.aborted) return;
      latest.current = named;
      settle({ named, differences, error: null });
    };
    const timer = setTimeout(() => ask().catch((error: unknown) => settle({ error })), latest.current ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      giving.abort();
    };
  }, [asked, slug, again]);
  return { ...state, retry: () => setAgain((count) => count + 1) };
}

const NOTHING = { named: null, differences: null, pending: false, error: null };

async function simulate(slug: string, asked: Simulated, signal: AbortSignal): Promise<Simulation> {
  return unwrap(
    api.POST("/api/t/{slug}/queries/simulate/", { params: { path: { slug } }, body: bodyOf(asked), signal }),
  );
}

/** What an edit would make of a row, and of the rest in words. */
export interface Trial {
  row: SimulatedRow | null;
  words: string;
}

export type TryEdit = (key: string, edit: (sample: Sample) => Sample, giving: AbortSignal) => Promise<Trial>;

/** Simulates an edit that is not made yet, such as a row that is being dragged. */
export function useTrying(asked: Simulated | null, now: NamedSimulation | null): TryEdit {
  const slug = useSlug();
  return useCallback(
    async (key, edit, giving) => {
      if (asked === null || now === null) return { row: null, words: "" };
      const tried = { ...asked, sample: edit(asked.sample) };
      const simulation = await simulate(slug, tried, giving);
      const keys = lineKeys(tried.sample, simulation.rows);
      const words = differenceWords(differencesBetween(now, { simulation, keys }));
      return { row: simulation.rows[keys.indexOf(key)] ?? null, words };
    },
    [slug, asked, now],
  );
}

/** Why a node has nothing at a time, in sentences. */
export function useAnswer(asked: Simulated, node: string, at: number) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "simulate", "answer", bodyOf(asked), node, at],
    queryFn: async ({ signal }) => {
      const body = { ...bodyOf(asked), ask: { node, at } };
      const shown = await unwrap(
        api.POST("/api/t/{slug}/queries/simulate/", { params: { path: { slug } }, body, signal }),
      );
      return shown.answer;
    },
    gcTime: 30_000,
  });
}

/** What the sample gives under each late policy. */
export function useComparison(asked: Simulated) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "simulate", "policies", bodyOf(asked)],
    queryFn: ({ signal }) =>
      unwrap(api.POST("/api/t/{slug}/queries/compare/", { params: { path: { slug } }, body: bodyOf(asked), signal })),
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });
}

/** What share of the sample each delay of an input would keep; null: no input is chosen. */
export function useWhatIf(asked: Simulated, input: string | null) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "simulate", "what if", bodyOf(asked), input],
    queryFn: ({ signal }) => {
      const body = { ...bodyOf(asked), input: input ?? "" };
      return unwrap(api.POST("/api/t/{slug}/queries/what-if/", { params: { path: { slug } }, body, signal }));
    },
    enabled: input !== null,
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });
}
