import { memo } from "react";
import { changeRow, laterBy, moveRow, type RowClock, resized, type Sample } from "../../../../model/simulation/sample";
import { placeOf, snappedTick, type TimeScale } from "../../../../model/simulation/scale";
import type { SimulatedRow } from "../../../../model/simulation/types";
import { rowSentence } from "../../../../model/simulation/words";
import { formatSpan } from "../../../../model/ticks";
import type { Selected } from "../view";
import { RowShape, toneOf } from "./RowShape";
import { type Dragged, useDrag } from "./useDrag";

interface RowBarProps {
  row: SimulatedRow;
  rowKey: string;
  scale: TimeScale;
  rowHeight: number;
  selected: boolean;
  linked: boolean;
  /** Whether the last change changed what became of it. */
  changed: boolean;
  readOnly: boolean;
  clock: RowClock | undefined;
  onSelect: (selected: Selected) => void;
  onEdit: (change: (sample: Sample) => Sample) => void;
}

function ticksDragged(row: SimulatedRow, scale: TimeScale, dx: number): number {
  const at = row.kind === "edge_end" ? row.end : row.start;
  if (at === null || Math.abs(dx) < 4) return 0;
  return snappedTick(scale, placeOf(scale, at) + dx) - at;
}

function dropped(props: RowBarProps, { dx, dy }: Dragged): (sample: Sample) => Sample {
  const by = ticksDragged(props.row, props.scale, dx);
  const rows = Math.round(dy / props.rowHeight);
  return (sample) => {
    const later = by === 0 ? sample : changeRow(sample, props.rowKey, (row) => laterBy(row, by, props.clock));
    return rows === 0 ? later : moveRow(later, props.rowKey, props.row.number - 1 + rows);
  };
}

function dragWords(props: RowBarProps, { dx, dy }: Dragged): string {
  const by = ticksDragged(props.row, props.scale, dx);
  const rows = Math.round(dy / props.rowHeight);
  const said = [
    ...(by === 0 ? [] : [by < 0 ? `${formatSpan(-by)} earlier` : `${formatSpan(by)} later`]),
    ...(rows === 0 ? [] : [`arrives as row ${Math.max(1, props.row.number + rows)}`]),
  ];
  return said.join(", ") || "as it was";
}

/** The right end of a bar, by which its end is moved. */
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

/** One row of the sample: dragged sideways in time, up and down in its arrival. */
export const RowBar = memo(function RowBar(props: RowBarProps) {
  const { row, rowKey, scale, rowHeight } = props;
  const drag = useDrag({
    onPress: () => props.onSelect({ kind: "row", key: rowKey }),
    onDrop: (moved) => props.onEdit(dropped(props, moved)),
    disabled: props.readOnly,
  });
  const y = (row.number - 0.5) * rowHeight;
  const { dx, dy } = drag.dragged ?? { dx: 0, dy: 0 };
  return (
    <g
      className="sim-row"
      data-selected={props.selected || undefined}
      data-linked={props.linked || undefined}
      data-changed={props.changed || undefined}
      data-dragged={drag.dragged !== null || undefined}
      style={{ color: toneOf(row) }}
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
        <RowShape row={row} y={0} scale={scale} />
      </g>
      {resizable(props) && drag.dragged === null ? <EndHandle {...props} /> : null}
      {drag.dragged === null ? null : (
        <text className="sim-drag-words" x={placeOf(scale, row.kind === "edge_end" ? row.end : row.start) + 12} y={-9}>
          {dragWords(props, drag.dragged)}
        </text>
      )}
    </g>
  );
});
