import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";
import type { QuarantineSampleBody } from "../../../model/api";
import { counted } from "../../../model/counts";
import { mergedByTime } from "../../../model/simulation/merged";
import { type SampleRow, sampleOf } from "../../../model/simulation/sample";
import { rowOf } from "./takenRows";
import type { Edits } from "./view";

/** So many rows are taken of a stream that the address asks for. */
const ROWS = 100;

/** Rows of a quarantine that the address asks for by `?quarantine=`, and by what the run's page has chosen of it. */
function quarantineOf(asked: URLSearchParams): QuarantineSampleBody | null {
  const binding = asked.get("quarantine");
  if (binding === null) return null;
  const texts = ["outcome", "reason", "input", "lane", "text"].map((name) => [name, asked.get(name)]);
  const times = ["since", "until", "late_by"].map((name) => [name, asked.has(name) ? Number(asked.get(name)) : null]);
  const chosen = [...texts, ...times].filter(([, value]) => value !== null);
  return { binding, rows: ROWS, ...Object.fromEntries(chosen) };
}

type Taken = Promise<readonly SampleRow[]>;

/** The first rows of each stream; of several, in the order of their times. */
async function firstRows(slug: string, streams: readonly string[]): Taken {
  const params = { path: { slug } };
  const taken = await Promise.all(
    streams.map((stream) =>
      unwrap(api.POST("/api/t/{slug}/samples/stream/", { params, body: { stream, rows: ROWS } })),
    ),
  );
  return mergedByTime(taken.map(({ rows }) => rows.map(rowOf)));
}

async function lateRows(slug: string, body: QuarantineSampleBody): Taken {
  const params = { path: { slug } };
  return (await unwrap(api.POST("/api/t/{slug}/samples/quarantine/", { params, body }))).rows.map(rowOf);
}

/**
 * Opens, once, what the address asks for: by each `?sample=` the first rows of a stream, where no sample is open, by
 * `?quarantine=` late rows of a binding, in place of what is open (undo brings that back).
 */
export function useAskedSample(edits: Edits, empty: boolean): { pending: boolean; error: unknown } {
  const slug = useSlug();
  const [asked, ask] = useSearchParams();
  const begun = useRef(false);
  const [state, setState] = useState<{ pending: boolean; error: unknown }>({ pending: false, error: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address asks once, when the page is opened
  useEffect(() => {
    const late = quarantineOf(asked);
    const streams = asked.getAll("sample");
    if ((streams.length === 0 && late === null) || begun.current) return;
    begun.current = true;
    if (late === null && !empty) return;
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
  return state;
}
