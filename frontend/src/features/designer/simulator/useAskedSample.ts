import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";
import type { QuarantineSampleBody, SampleTaken } from "../../../model/api";
import { counted } from "../../../model/counts";
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
  const times = ["since", "until"].map((name) => [name, asked.has(name) ? Number(asked.get(name)) : null]);
  const chosen = [...texts, ...times].filter(([, value]) => value !== null);
  return { binding, rows: ROWS, ...Object.fromEntries(chosen) };
}

/**
 * Opens, once, what the address asks for: by `?sample=` the first rows of a stream, where no sample is open, by
 * `?quarantine=` late rows of a binding, in place of what is open (undo brings that back).
 */
export function useAskedSample(edits: Edits, empty: boolean): { pending: boolean; error: unknown } {
  const slug = useSlug();
  const [asked, ask] = useSearchParams();
  const stream = asked.get("sample");
  const begun = useRef(false);
  const [state, setState] = useState<{ pending: boolean; error: unknown }>({ pending: false, error: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address asks once, when the page is opened
  useEffect(() => {
    const late = quarantineOf(asked);
    if ((stream === null && late === null) || begun.current) return;
    begun.current = true;
    if (late === null && !empty) return;
    const open = ({ rows }: SampleTaken) => {
      const from = late === null ? `read from ${stream}` : `${counted(rows.length, "row")} from the quarantine`;
      edits.edit(() => sampleOf(rows.map(rowOf) as readonly SampleRow[], from));
      setState({ pending: false, error: null });
      ask({}, { replace: true });
    };
    setState({ pending: true, error: null });
    const params = { path: { slug } };
    const taken =
      late === null
        ? api.POST("/api/t/{slug}/samples/stream/", { params, body: { stream: stream ?? "", rows: ROWS } })
        : api.POST("/api/t/{slug}/samples/quarantine/", { params, body: late });
    unwrap(taken).then(open, (error: unknown) => setState({ pending: false, error }));
  }, [stream]);
  return state;
}
