import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { everyStream } from "../../../lib/api/lists";
import type { StreamDefinition, StreamResponse } from "../../../model/api";
import { importsCtis } from "../../../model/graph/importsCtis";
import {
  type Differences,
  differencesBetween,
  differenceWords,
  type NamedSimulation,
} from "../../../model/simulation/differences";
import { itemsOf, lineKeys, type Sample } from "../../../model/simulation/sample/sample";
import type { SampleItem, SimulatedRow, Simulation } from "../../../model/simulation/types";
import { useOwnStreams } from "../page/example";
import { simulationOf } from "../preview/simulationOf";
import type { AdvanceByInput } from "./settings/trialStore";

/** The simulated query as text, a sample, and settings on trial that replace those of the text. */
export interface Simulated {
  text: string;
  sample: Sample;
  advance: AdvanceByInput;
  /** True if an input copies the CTIs of another one. */
  imports: boolean;
  /** Streams that only this query has: those of an example. */
  streams?: Record<string, StreamDefinition>;
}

type NamedDefinition = readonly [string, StreamDefinition];

function definitionsOf(read: readonly { data?: StreamResponse | undefined }[]): readonly NamedDefinition[] {
  return read.flatMap(({ data }) => (data === undefined ? [] : [[data.name, data.definition] as const]));
}

/** Load the definitions of these streams, if they exist; streams of an example replace others of the same name. */
export function useStreamDefinitions(names: readonly string[]): ReadonlyMap<string, StreamDefinition> {
  const slug = useSlug();
  const own = useOwnStreams();
  const listed = useQuery({ queryKey: [slug, "streams"], queryFn: () => everyStream(slug) }).data ?? [];
  const stored = useQueries({
    queries: listed
      .filter(({ name }) => names.includes(name))
      .map(({ id: stream }) => ({
        queryKey: [slug, "streams", stream],
        queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/{stream}/", { params: { path: { slug, stream } } })),
      })),
    combine: definitionsOf,
  });
  return useMemo(() => new Map([...stored, ...Object.entries(own.streams ?? {})]), [stored, own]);
}

const PAUSE_MS = 120;

export interface SimulationState {
  /** The newest simulation, possibly of an earlier text. */
  named: NamedSimulation | null;
  differences: Differences | null;
  pending: boolean;
  error: unknown;
  retry: () => void;
}

/** With imported CTIs each row is a micro-batch, because CTIs arrive with the next one, unless the sample marks its own. */
function bodyOf({ text, sample, advance, imports, streams = {} }: Simulated) {
  return { text, advance, streams, sample: { rows: itemsOf(sample, imports) as SampleItem[], end: sample.end } };
}

/** Return true if the preview requests the same simulation: without settings on trial. */
function isPreviewed({ text, advance, imports }: Simulated): boolean {
  return Object.keys(advance).length === 0 && imports === importsCtis(text);
}

/** Simulate again shortly after `asked` changes, and cancel the previous request. Null: do nothing. */
export function useSimulation(asked: Simulated | null): SimulationState {
  const slug = useSlug();
  const queries = useQueryClient();
  const [state, setState] = useState<Omit<SimulationState, "retry">>(NOTHING);
  const [again, setAgain] = useState(0);
  const latest = useRef<NamedSimulation | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` repeats the request
  useEffect(() => {
    if (asked === null) return undefined;
    const giving = new AbortController();
    setState((before) => ({ ...before, pending: true }));
    const settle = (next: Partial<SimulationState>) => {
      if (!giving.signal.aborted) setState((before) => ({ ...before, pending: false, ...next }));
    };
    const ask = async () => {
      const simulation = await (isPreviewed(asked)
        ? queries.fetchQuery(simulationOf(slug, asked))
        : simulate(slug, asked, giving.signal));
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
  }, [asked, slug, again, queries]);
  return { ...state, retry: () => setAgain((count) => count + 1) };
}

const NOTHING = { named: null, differences: null, pending: false, error: null };

async function simulate(slug: string, asked: Simulated, signal: AbortSignal): Promise<Simulation> {
  return unwrap(
    api.POST("/api/t/{slug}/queries/simulate/", { params: { path: { slug } }, body: bodyOf(asked), signal }),
  );
}

/** The effect of an edit on a row, and on the rest in words. */
export interface Trial {
  row: SimulatedRow | null;
  words: string;
}

export type TryEdit = (key: string, edit: (sample: Sample) => Sample, giving: AbortSignal) => Promise<Trial>;

/** Simulate an edit before it is made, for example while a row is dragged. */
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

/** Load the explanation of why a node has no result at a time. */
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

/** Load the results of the sample under each late policy. */
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

/** Load the share of rows that each delay of an input would keep; null: no input. */
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
