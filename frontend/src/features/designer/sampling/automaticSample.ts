/** A sample of the streams that the query reads, loaded whenever none is open. */

import { useCallback, useEffect, useRef, useState } from "react";
import { useSlug } from "../../../lib/account/session";
import { api, messageOf, unwrap } from "../../../lib/api/client";
import type { AdvanceTimeSettings, QueryGraph } from "../../../model/api";
import { type Generation, generationFor } from "../../../model/simulation/sample/generated";
import { mergedByTime } from "../../../model/simulation/sample/merged";
import { type Sample, type SampleRow, sampleOf } from "../../../model/simulation/sample/sample";
import { counted } from "../../../model/text/counts";
import { rowOf } from "../simulator/sample/compactRow";
import { beginSample } from "../simulator/sample/sampleStore";
import { firstRows } from "../simulator/sample/useRequestedSample";

interface LoadedSample {
  sample: Sample;
  note: string;
}

async function generatedRows(slug: string, streams: readonly string[], generation: Generation, signal: AbortSignal) {
  const params = { path: { slug } };
  const taken = await Promise.all(
    streams.map((stream) =>
      unwrap(api.POST("/api/t/{slug}/samples/generated/", { params, body: { stream, ...generation }, signal })),
    ),
  );
  return mergedByTime(taken.map(({ rows }) => rows.map(rowOf)));
}

function emptyStreams(streams: readonly string[], rows: readonly SampleRow[]): string[] {
  return streams.filter((name) => !rows.some((row) => row.stream === name));
}

/** Read the first rows of each stream; if one has none, or can't be read, generate rows for all of them. */
async function loadedSample(
  slug: string,
  streams: readonly string[],
  generation: Generation,
  signal: AbortSignal,
): Promise<LoadedSample> {
  const names = streams.join(" and ");
  let note = "";
  try {
    const rows = await firstRows(slug, streams, signal);
    const empty = emptyStreams(streams, rows);
    if (empty.length === 0)
      return { sample: sampleOf(rows, `${counted(rows.length, "row")} read from ${names}`), note };
    note = `There are no rows of ${empty.join(" and ")} yet.`;
  } catch (error) {
    if (signal.aborted) throw error;
    note = `The first rows of ${names} can't be read: ${messageOf(error)}`;
  }
  const rows = await generatedRows(slug, streams, generation, signal);
  return {
    sample: sampleOf(rows, `${counted(rows.length, "row")} generated for ${names}, some of them out of order`),
    note,
  };
}

interface AutomaticSample {
  loading: boolean;
  error: unknown;
  note: string;
  load: () => void;
}

interface Needs {
  sample: Sample;
  /** The names of the existing streams that the query reads. */
  streams: readonly string[];
  graph: QueryGraph | null;
  advance: Readonly<Record<string, AdvanceTimeSettings>>;
  /** True while something else opens a sample: an example, or the address. */
  isRequested: boolean;
}

const IDLE = { loading: false, error: null as unknown, note: "" };

/**
 * Load a sample if none is open, and again if the query reads other streams than a sample that was loaded like this. A
 * sample that the user chose or edited is never replaced.
 */
export function useAutomaticSample({ sample, streams, graph, advance, isRequested }: Needs): AutomaticSample {
  const slug = useSlug();
  const [state, setState] = useState(IDLE);
  const [asked, setAsked] = useState(0);
  const answered = useRef(0);
  const automatic = useRef<Sample | null>(null);
  const latest = useRef({ graph, advance });
  latest.current = { graph, advance };
  const read = [...new Set(streams)].toSorted().join(" ");
  const isUncovered = automatic.current === sample && read !== automatic.current.rows.reduce(addStream, "");
  const isNeeded = !isRequested && read !== "" && (sample.rows.length === 0 || isUncovered);
  useEffect(() => {
    const now = latest.current;
    if ((!isNeeded && asked === answered.current) || now.graph === null || read === "") return undefined;
    answered.current = asked;
    const taken = new AbortController();
    setState({ ...IDLE, loading: true });
    loadedSample(slug, read.split(" "), generationFor(now.graph, now.advance), taken.signal).then(
      (loaded) => {
        if (taken.signal.aborted) return;
        automatic.current = loaded.sample;
        beginSample(loaded.sample);
        setState({ ...IDLE, note: loaded.note });
      },
      (error: unknown) => {
        if (!taken.signal.aborted) setState({ ...IDLE, error });
      },
    );
    return () => {
      taken.abort();
      setState((before) => (before.loading ? IDLE : before));
    };
  }, [slug, read, isNeeded, asked]);
  const load = useCallback(() => setAsked((count) => count + 1), []);
  return { ...state, load };
}

/** Add the stream of a row to a sorted list of names. */
function addStream(names: string, { row }: { row: SampleRow }): string {
  const found = names === "" ? [] : names.split(" ");
  return found.includes(row.stream) ? names : [...found, row.stream].toSorted().join(" ");
}
