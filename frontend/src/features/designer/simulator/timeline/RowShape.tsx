import { GLYPH_SHAPES } from "../../../../components/values/Glyph";
import { isOutcome, OUTCOME_WORDS } from "../../../../model/run/outcomes";
import { placeOf, type TimeScale } from "../../../../model/simulation/drawing/scale";
import type { SimulatedRow } from "../../../../model/simulation/types";

const CTI_SHAPE = "M5 0h2v12H5zM1 5h3v2H1zM8 5h3v2H8z";
const HEARTBEAT_SHAPE = "M0 5h3l2-4 2 9 2-5h3v2H9.9L7 13 4.7 4.6 4.1 7H0z";

/** Return the colour of a row, as a token. */
export function toneOf(row: SimulatedRow): string {
  return row.outcome !== null && isOutcome(row.outcome) ? `var(--${row.outcome})` : "var(--ink)";
}

export function shapeOfRow(row: SimulatedRow): string {
  if (row.outcome !== null && isOutcome(row.outcome)) return GLYPH_SHAPES[OUTCOME_WORDS[row.outcome].glyph];
  return row.kind === "heartbeat" ? HEARTBEAT_SHAPE : CTI_SHAPE;
}

interface GlyphProps {
  row: SimulatedRow;
  x: number;
  y: number;
  ghost?: boolean;
}

/** A row's shape, centred at a position; a ghost marks the position before the row was moved. */
export function RowGlyph({ row, x, y, ghost = false }: GlyphProps) {
  return (
    <path
      d={shapeOfRow(row)}
      transform={`translate(${x - 6} ${y - 6})`}
      fillRule="evenodd"
      className={ghost ? "sim-ghost" : "sim-glyph"}
    />
  );
}

interface ShapeProps {
  row: SimulatedRow;
  y: number;
  scale: TimeScale;
}

/** A row's lifetime as a bar, open to the right if its end is unknown. */
function Lifetime({ start, end, y, scale }: { start: number; end: number | null; y: number; scale: TimeScale }) {
  const x = placeOf(scale, start);
  const width = Math.max(placeOf(scale, end) - x, 0);
  if (width < 3) return null;
  return (
    <rect className="sim-bar" data-open={end === null || undefined} x={x} y={y - 3} width={width} height={6} rx={3} />
  );
}

function movedTo(row: SimulatedRow): number | null {
  return row.kept && row.kept_start !== null && row.kept_start !== row.start ? row.kept_start : null;
}

function endMovedTo(row: SimulatedRow): number | null {
  return row.kind === "edge_end" && row.kept_end !== null && row.kept_end !== row.end ? row.kept_end : null;
}

function Move({ row, from, to, y }: { row: SimulatedRow; from: number; to: number; y: number }) {
  const room = to - from - 7;
  return (
    <>
      {room > 4 ? <path className="sim-move" d={`M${from} ${y}H${to - 7}m-4 -3l4 3l-4 3`} /> : null}
      <RowGlyph row={row} x={from} y={y} ghost />
    </>
  );
}

/** Return the start and end of an event after the late policy, and its original start. */
function eventPlaces(row: SimulatedRow): { at: number | null; to: number | null; begins: number | null } {
  if (row.kind === "edge_end") return { at: row.end, to: endMovedTo(row), begins: row.start };
  const to = movedTo(row);
  return { at: row.start, to, begins: to ?? row.start };
}

function EventShape({ row, y, scale }: ShapeProps) {
  const { at, to, begins } = eventPlaces(row);
  if (at === null) return null;
  const place = placeOf(scale, to ?? at);
  const ends = row.kept ? row.kept_end : row.end;
  return (
    <>
      {begins === null ? null : <Lifetime start={begins} end={ends} y={y} scale={scale} />}
      {to === null ? null : <Move row={row} from={placeOf(scale, at)} to={place} y={y} />}
      <RowGlyph row={row} x={place} y={y} />
    </>
  );
}

/** One row on the axis of event time, in the shape and colour of its outcome. */
export function RowShape(props: ShapeProps) {
  const { row, y, scale } = props;
  if (row.kind !== "cti" && row.kind !== "heartbeat") return <EventShape {...props} />;
  return <RowGlyph row={row} x={row.start === null ? scale.width - 8 : placeOf(scale, row.start)} y={y} />;
}
