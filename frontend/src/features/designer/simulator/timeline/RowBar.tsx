import { memo, useEffect, useState } from "react";
import { outcomeWords, rowSentence } from "../../../../messages/simulation";
import { placeOf, snappedTick, type TimeScale } from "../../../../model/simulation/drawing/scale";
import {
  changeRow,
  laterBy,
  moveRow,
  type RowClock,
  resized,
  type Sample,
} from "../../../../model/simulation/sample/sample";
import type { SimulatedRow } from "../../../../model/simulation/types";
import { formatSpan } from "../../../../model/time/ticks";
import type { Trial, TryEdit } from "../requests";
import type { Selected } from "../view";
import { RowGlyph, RowShape, toneOf } from "./RowShape";
import { type Dragged, useDrag } from "./useDrag";

interface RowBarProps {
  row: SimulatedRow;
  rowKey: string;
  /** The sample row in each line. */
  places: readonly number[];
  scale: TimeScale;
  rowHeight: number;
  selected: boolean;
  linked: boolean;
  /** True if the last change affected its outcome. */
  changed: boolean;
  readOnly: boolean;
  clock: RowClock | undefined;
  onSelect: (selected: Selected) => void;
  onEdit: (change: (sample: Sample) => Sample) => void;
  onTry: TryEdit;
}

function ticksDragged(row: SimulatedRow, scale: TimeScale, dx: number): number {
  const at = row.kind === "edge_end" ? row.end : row.start;
  if (at === null || Math.abs(dx) < 4) return 0;
  return snappedTick(scale, placeOf(scale, at) + dx) - at;
}

/** Return the position in the sample, from 0, of the line `lines` further down. */
function placeAt({ row, places }: RowBarProps, lines: number): number {
  const line = Math.max(0, Math.min(row.number - 1 + lines, places.length - 1));
  return (places[line] ?? row.sample_row) - 1;
}

function dropped(props: RowBarProps, { dx, dy }: Dragged): (sample: Sample) => Sample {
  const by = ticksDragged(props.row, props.scale, dx);
  const rows = Math.round(dy / props.rowHeight);
  return (sample) => {
    const later = by === 0 ? sample : changeRow(sample, props.rowKey, (row) => laterBy(row, by, props.clock));
    return rows === 0 ? later : moveRow(later, props.rowKey, placeAt(props, rows));
  };
}

const TRY_MS = 100;

/** Return the effect of dropping the row at its current place; null while unknown. */
function useTrial(props: RowBarProps, dragged: Dragged | null): Trial | null {
  const { row, rowKey, rowHeight, scale, onTry } = props;
  const [tried, setTried] = useState<{ at: string; trial: Trial } | null>(null);
  const by = dragged === null ? 0 : ticksDragged(row, scale, dragged.dx);
  const rows = dragged === null ? 0 : Math.round(dragged.dy / rowHeight);
  const at = by === 0 && rows === 0 ? null : `${by} ${rows}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the request changes only with the position
  useEffect(() => {
    if (at === null || dragged === null) return undefined;
    const giving = new AbortController();
    const ask = () =>
      onTry(rowKey, dropped(props, dragged), giving.signal)
        .then((trial) => setTried({ at, trial }))
        .catch(() => undefined); // errors are reported when it is dropped
    const timer = setTimeout(ask, TRY_MS);
    return () => {
      clearTimeout(timer);
      giving.abort();
    };
  }, [at]);
  return tried !== null && tried.at === at ? tried.trial : null;
}

function dragWords(props: RowBarProps, { dx, dy }: Dragged): string {
  const by = ticksDragged(props.row, props.scale, dx);
  const rows = Math.round(dy / props.rowHeight);
  const parts = [
    ...(by === 0 ? [] : [by < 0 ? `${formatSpan(-by)} earlier` : `${formatSpan(by)} later`]),
    ...(rows === 0 ? [] : [`arrives as row ${Math.max(1, props.row.number + rows)}`]),
  ];
  return parts.join(", ") || "unchanged";
}

/** The handle at the right end of a bar, which moves the row's end. */
function EndHandle(props: RowBarProps) {
  const { row, scale, rowHeight, rowKey, onEdit } = props;
  const drag = useDrag({
    onPress: () => props.onSelect({ kind: "row", key: rowKey }),
    onDrop: ({ dx }) =>
      onEdit((sample) =>
        changeRow(sample, rowKey, (each) => resized(each, "end", snappedTick(scale, placeOf(scale, row.end) + dx))),
      ),
  });
  const x = placeOf(scale, row.end) + (drag.dragged?.dx ?? 0);
  return (
    <g className="sim-handle" {...drag.handlers}>
      <rect className="sim-handle-ground" x={x - 5} y={-9} width={12} height={18} />
      <path d={`M${x} -5v10`} />
      {drag.dragged === null ? null : (
        <text className="sim-drag-words" x={x + 8} y={-rowHeight / 4}>
          {formatSpan(snappedTick(scale, x) - (row.start ?? 0))} long
        </text>
      )}
    </g>
  );
}

function resizable({ row, readOnly }: RowBarProps): boolean {
  return !readOnly && row.kind === "event" && row.start !== null && row.end !== null && row.end > row.start + 1;
}

interface DraggedProps {
  bar: RowBarProps;
  dragged: Dragged;
  trial: Trial | null;
}

/** The origin of a dragged row, and the effect of dropping it here. */
function DragNote({ bar, dragged, trial }: DraggedProps) {
  const { row, scale, rowHeight } = bar;
  const from = placeOf(scale, row.kind === "edge_end" ? row.end : row.start);
  const right = from + dragged.dx > scale.width / 2;
  const x = right ? from - 12 : from + 12;
  const anchor = right ? "end" : "start";
  return (
    <>
      <g transform={`translate(${-dragged.dx} ${-dragged.dy})`}>
        <RowGlyph row={row} x={from} y={0} ghost />
      </g>
      <text className="sim-drag-words" x={x} y={-9} textAnchor={anchor}>
        {dragWords(bar, dragged)}
        {trial?.row == null ? "" : `: ${outcomeWords(trial.row)}`}
      </text>
      {trial === null ? null : (
        <text className="sim-drag-words" x={x} y={rowHeight / 2 + 4} textAnchor={anchor}>
          {trial.words}
        </text>
      )}
    </>
  );
}

/** One row of the sample: drag sideways to change its time, up and down to change its arrival. */
export const RowBar = memo(function RowBar(props: RowBarProps) {
  const { row, rowKey, scale, rowHeight } = props;
  const drag = useDrag({
    onPress: () => props.onSelect({ kind: "row", key: rowKey }),
    onDrop: (moved) => props.onEdit(dropped(props, moved)),
    disabled: props.readOnly,
  });
  const y = (row.number - 0.5) * rowHeight;
  const { dx, dy } = drag.dragged ?? { dx: 0, dy: 0 };
  const trial = useTrial(props, drag.dragged);
  const shown = drag.dragged === null ? row : { ...row, outcome: trial?.row?.outcome ?? row.outcome };
  return (
    <g
      className="sim-row"
      data-selected={props.selected || undefined}
      data-linked={props.linked || undefined}
      data-changed={props.changed || undefined}
      data-dragged={drag.dragged !== null || undefined}
      style={{ color: toneOf(shown) }}
      transform={`translate(${dx} ${y + dy})`}
    >
      <title>{rowSentence(row)}</title>
      <rect
        className="sim-row-ground"
        x={-dx}
        y={-rowHeight / 2}
        width={scale.width}
        height={rowHeight}
        {...drag.handlers}
      />
      <g {...drag.handlers}>
        <RowShape row={shown} y={0} scale={scale} />
      </g>
      {resizable(props) && drag.dragged === null ? <EndHandle {...props} /> : null}
      {drag.dragged === null ? null : <DragNote bar={props} dragged={drag.dragged} trial={trial} />}
    </g>
  );
});
