import type { StreamDefinition } from "../../../../model/api";
import type { PastedRows } from "../../../../model/simulation/sample/paste";
import { insertRows, type Sample, sampleOf } from "../../../../model/simulation/sample/sample";
import { counted } from "../../../../model/text/counts";

export interface SamplePanelProps {
  sample: Sample;
  /** The streams that the query reads. */
  streams: readonly (readonly [string, StreamDefinition])[];
  onEdit: (change: (sample: Sample) => Sample) => void;
  onDone: () => void;
}

interface ParsedRowsProps {
  read: PastedRows;
  from: string;
  sample: Sample;
  onEdit: SamplePanelProps["onEdit"];
  onDone: () => void;
}

/** Parsed rows, to replace the sample or to be added at its end. */
export function ParsedRows({ read, from, sample, onEdit, onDone }: ParsedRowsProps) {
  const rows = counted(read.rows.length, "row");
  const take = (change: (sample: Sample) => Sample) => {
    onEdit(change);
    onDone();
  };
  return (
    <div className="stack">
      {read.notes.map((note) => (
        <p key={note} className="small">
          {note}
        </p>
      ))}
      {read.rows.length === 0 ? null : (
        <p className="row">
          <button
            type="button"
            className="button"
            data-kind="primary"
            onClick={() => take((before) => sampleOf(read.rows, `${rows} ${from}`, before.end))}
          >
            {sample.rows.length === 0 ? "Use" : "Replace the sample with"} {rows}
          </button>
          {sample.rows.length === 0 ? null : (
            <button
              type="button"
              className="button"
              onClick={() => take((before) => insertRows(before, before.rows.length, read.rows))}
            >
              Add {rows} at the end
            </button>
          )}
        </p>
      )}
    </div>
  );
}
