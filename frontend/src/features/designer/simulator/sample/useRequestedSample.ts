import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { useSlug } from "../../../../lib/account/session";
import { api, unwrap } from "../../../../lib/api/client";
import type { QuarantineSampleBody } from "../../../../model/api";
import { mergedByTime } from "../../../../model/simulation/sample/merged";
import { type SampleRow, sampleOf } from "../../../../model/simulation/sample/sample";
import { counted } from "../../../../model/text/counts";
import type { Edits } from "../view";
import { rowOf } from "./compactRow";

/** The number of rows taken from each stream in the address. */
const ROWS = 100;

/** Return the request for quarantined rows from `?quarantine=` and the filters of the run's page. */
function quarantineOf(asked: URLSearchParams): QuarantineSampleBody | null {
  const binding = asked.get("quarantine");
  if (binding === null) return null;
  const texts = ["outcome", "reason", "input", "lane", "text"].map((name) => [name, asked.get(name)]);
  const times = ["since", "until", "late_by"].map((name) => [name, asked.has(name) ? Number(asked.get(name)) : null]);
  const chosen = [...texts, ...times].filter(([, value]) => value !== null);
  return { binding, rows: ROWS, ...Object.fromEntries(chosen) };
}

export interface RequestedSample {
  pending: boolean;
  error: unknown;
  /** True if the address requested a sample when the page opened. */
  isRequested: boolean;
}

/** Return true if an address requests a sample, with its parameters or with a link to a simulation. */
function isSampleRequested(asked: URLSearchParams): boolean {
  return asked.has("sample") || asked.has("quarantine") || window.location.hash.startsWith("#simulation=");
}

type Taken = Promise<readonly SampleRow[]>;

/** Return the first rows of each stream; of several streams, in the order of their times. */
export async function firstRows(slug: string, streams: readonly string[], signal?: AbortSignal): Taken {
  const params = { path: { slug } };
  const taken = await Promise.all(
    streams.map((stream) =>
      unwrap(
        api.POST("/api/t/{slug}/samples/stream/", { params, body: { stream, rows: ROWS }, ...(signal && { signal }) }),
      ),
    ),
  );
  return mergedByTime(taken.map(({ rows }) => rows.map(rowOf)));
}

async function lateRows(slug: string, body: QuarantineSampleBody): Taken {
  const params = { path: { slug } };
  return (await unwrap(api.POST("/api/t/{slug}/samples/quarantine/", { params, body }))).rows.map(rowOf);
}

/**
 * Open the sample that the address requests, once. Each `?sample=` adds the first rows of a stream if no sample is open;
 * `?quarantine=` replaces the sample by late rows of a binding, which undo reverts.
 */
export function useRequestedSample(edits: Edits, empty: boolean): RequestedSample {
  const slug = useSlug();
  const [asked, ask] = useSearchParams();
  const begun = useRef(false);
  const [isRequested] = useState(() => isSampleRequested(asked));
  const [state, setState] = useState({ pending: isRequested, error: null as unknown });
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address applies once, when the page opens
  useEffect(() => {
    const late = quarantineOf(asked);
    const streams = asked.getAll("sample");
    if ((streams.length === 0 && late === null) || begun.current) return;
    begun.current = true;
    if (late === null && !empty) {
      setState({ pending: false, error: null });
      return;
    }
    const open = (rows: readonly SampleRow[], from: string) => {
      edits.edit(() => sampleOf(rows, from));
      setState({ pending: false, error: null });
      ask({}, { replace: true });
    };
    setState({ pending: true, error: null });
    const taken = late === null ? firstRows(slug, streams) : lateRows(slug, late);
    taken.then(
      (rows) =>
        open(
          rows,
          late === null ? `read from ${streams.join(" and ")}` : `${counted(rows.length, "row")} from the quarantine`,
        ),
      (error: unknown) => setState({ pending: false, error }),
    );
  }, [asked.get("sample")]);
  return { ...state, isRequested };
}
