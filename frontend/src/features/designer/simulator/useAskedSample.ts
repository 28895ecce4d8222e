import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { api, unwrap } from "../../../lib/api";
import { useSlug } from "../../../lib/session";
import type { SampleTaken } from "../../../model/api";
import { type SampleRow, sampleOf } from "../../../model/simulation/sample";
import { rowOf } from "./takenRows";
import type { Edits } from "./view";

/** So many rows are taken of a stream that the address asks for. */
const ROWS = 100;

/** Opens the first rows of the stream that the address asks for by `?sample=`, once, where no sample is open. */
export function useAskedSample(edits: Edits, empty: boolean): { pending: boolean; error: unknown } {
  const slug = useSlug();
  const [asked, ask] = useSearchParams();
  const stream = asked.get("sample");
  const begun = useRef(false);
  const [state, setState] = useState<{ pending: boolean; error: unknown }>({ pending: false, error: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address asks once, when the page is opened
  useEffect(() => {
    if (stream === null || begun.current) return;
    begun.current = true;
    if (!empty) return;
    const open = ({ rows }: SampleTaken) => {
      edits.edit(() => sampleOf(rows.map(rowOf) as readonly SampleRow[], `read from ${stream}`));
      setState({ pending: false, error: null });
      ask({}, { replace: true });
    };
    setState({ pending: true, error: null });
    unwrap(
      api.POST("/api/t/{slug}/samples/stream/", { params: { path: { slug } }, body: { stream, rows: ROWS } }),
    ).then(open, (error: unknown) => setState({ pending: false, error }));
  }, [stream]);
  return state;
}
