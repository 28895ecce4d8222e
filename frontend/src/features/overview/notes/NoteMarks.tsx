import { createContext, type ReactNode, useContext } from "react";
import type { AnnotationResponse } from "../../../model/api";
import type { Span } from "../../../model/live/ranges";
import { formatInstant, type Ticks } from "../../../model/time/ticks";

const Notes = createContext<readonly AnnotationResponse[]>([]);

/** The notes that all charts inside mark. */
export function NotesScope({ notes, children }: { notes: readonly AnnotationResponse[]; children: ReactNode }) {
  return <Notes value={notes}>{children}</Notes>;
}

interface NoteMarksProps {
  span: Span;
  x: (at: Ticks) => number;
  /** The height of the upper edge of the chart. */
  top: number;
}

/** Notes as triangles on the upper edge; the line of a range reaches to its end. The list has their words. */
export function NoteMarks({ span, x, top }: NoteMarksProps) {
  const notes = useContext(Notes).filter(({ begin, end }) => begin < span.end && (end ?? begin) >= span.begin);
  return notes.map(({ id, begin, end, text }) => (
    <g key={id} className="note-mark">
      <title>{`${formatInstant(begin).slice(0, 19)} UTC: ${text}`}</title>
      {end === null ? null : <path d={`M${x(begin)} ${top - 1}H${x(end)}`} className="note-range" />}
      <path d={`M${x(begin)} ${top}l4 -7h-8z`} />
    </g>
  ));
}
