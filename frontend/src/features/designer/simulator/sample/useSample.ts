import { useEffect, useMemo, useRef } from "react";
import { useDrafted } from "../../../../lib/drafts/drafts";
import { NO_SAMPLE, type Sample } from "../../../../model/simulation/sample/sample";
import type { Edits } from "../view";
import { beginSample, editSample, endSample, redoSample, undoSample, useSampleHistory } from "./sampleStore";

/** Return the name of the draft that keeps the sample of an object, for example of a query. */
export function sampleDraft(object: string): string {
  return `sample of ${object}`;
}

/** The sample of the open query. It is part of the unsaved draft, so it survives a reload. */
export function useSample(object: string, beginning: Sample = NO_SAMPLE): { sample: Sample; edits: Edits } {
  const drafted = useDrafted<Sample>(sampleDraft(object), beginning);
  const history = useSampleHistory();
  const first = useRef(drafted.value);
  const keep = useRef(drafted.change);
  keep.current = drafted.change;
  useEffect(() => {
    beginSample(first.current);
    return endSample;
  }, []);
  const now = history?.now;
  useEffect(() => {
    if (now !== undefined && now !== first.current) keep.current(now);
  }, [now]);
  const canUndo = history !== null && history.before.length > 0;
  const canRedo = history !== null && history.after.length > 0;
  const edits = useMemo(
    (): Edits => ({ edit: editSample, undo: canUndo ? undoSample : null, redo: canRedo ? redoSample : null }),
    [canUndo, canRedo],
  );
  return { sample: now ?? drafted.value, edits };
}
