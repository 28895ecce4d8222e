import { type MouseEvent, memo, useMemo } from "react";
import { counted } from "../../../../model/counts";
import { type PackedRow, packed } from "../../../../model/simulation/geometry";
import { edgeOf, type TimeScale, tickAt } from "../../../../model/simulation/scale";
import { ctiAt, standingRows } from "../../../../model/simulation/standing";
import type { Simulation, Track } from "../../../../model/simulation/types";
import { fitted, resultWords, spanWords, type TimeWords } from "../../../../model/simulation/words";
import { KIND_LABELS } from "../../../../model/summary";
import { usePosition } from "../position";
import { type Selected, useSimulator } from "../view";
import { GridLines } from "./Axis";

const LINE = 20;
const MOST_LINES = 8;
const LEAST_HEIGHT = 40;
const GAP = 6;

interface ResultProps {
  packed: PackedRow;
  fresh: boolean;
  selected: boolean;
  linked: boolean;
  changed: boolean;
  times: TimeWords;
  onSelect: (selected: Selected) => void;
}

/** Places are reckoned anew at each position; what stands where it stood is not drawn again. */
function drawnAlike(one: ResultProps, other: ResultProps): boolean {
  const { packed: a, ...rest } = one;
  const { packed: b, ...others } = other;
  const same = a.row === b.row && a.x === b.x && a.width === b.width && a.line === b.line && a.end === b.end;
  return same && (Object.keys(rest) as (keyof typeof rest)[]).every((name) => rest[name] === others[name]);
}

const Result = memo(function Result({ packed: place, times, ...props }: ResultProps) {
  const { row, x, width, line, end } = place;
  const words = resultWords(row);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tables say and do the same by keyboard
    <g
      className="sim-result"
      data-fresh={props.fresh || undefined}
      data-selected={props.selected || undefined}
      data-linked={props.linked || undefined}
      data-changed={props.changed || undefined}
      data-open={end === null || undefined}
      transform={`translate(${x} ${line * LINE + 3})`}
      onClick={(event) => {
        event.stopPropagation();
        props.onSelect({ kind: "result", id: row.id });
      }}
    >
      <title>{`${spanWords(row.start, end, times)} ${words}`}</title>
      <rect width={Math.max(width, 3)} height={LINE - 4} rx={3} />
      <text x={5} y={LINE - 9}>
        {fitted(words, Math.max(width, 30) - 6)}
      </text>
    </g>
  );
}, drawnAlike);

interface TrackLayout {
  track: Track;
  /** What is drawn; what would take more lines than there are is counted in `hidden`. */
  drawn: readonly PackedRow[];
  hidden: number;
  count: number;
  top: number;
  height: number;
}

/** Where each track and each of its rows stands at a position. */
function layouts(tracks: readonly Track[], scale: TimeScale, position: number): TrackLayout[] {
  let top = 0;
  return tracks.map((track) => {
    const rows = packed(standingRows(track, position), scale, position);
    const seen = rows.filter(({ x, width }) => x < scale.width && x + width > -2);
    const lines = Math.min(MOST_LINES, Math.max(1, ...seen.map(({ line }) => line + 1)));
    const drawn = seen.filter(({ line }) => line < lines);
    const height = Math.max(lines * LINE + 6, LEAST_HEIGHT);
    const layout = { track, drawn, hidden: seen.length - drawn.length, count: rows.length, top, height };
    top += height + GAP;
    return layout;
  });
}

function OutputCti({
  simulation,
  node,
  scale,
  height,
}: {
  simulation: Simulation;
  node: string;
  scale: TimeScale;
  height: number;
}) {
  const position = usePosition();
  const staircase = simulation.staircases.find(
    (each) => each.node === node && each.lane === null && each.substream === null,
  );
  const at = staircase === undefined ? undefined : ctiAt(staircase, position);
  if (at === undefined) return null;
  const x = edgeOf(scale, at);
  return (
    <>
      <rect className="sim-final" x={0} y={0} width={x} height={height} />
      <path className="sim-cti" d={`M${x} 0V${height}`} />
    </>
  );
}

interface TrackProps {
  layout: TrackLayout;
  scale: TimeScale;
  position: number;
  linked: ReadonlySet<number>;
  changed: ReadonlySet<number>;
}

/** What a node has given so far: one bar for each row that stands, the node's own CTI as a line. */
function TrackView({ layout, scale, position, linked, changed }: TrackProps) {
  const { simulation, select, selected, times } = useSimulator();
  const { track, drawn, hidden, count, height } = layout;
  const askPlace = (event: MouseEvent<SVGSVGElement>) => {
    const at = tickAt(scale, event.clientX - event.currentTarget.getBoundingClientRect().left);
    select({ kind: "place", node: track.node, at });
  };
  return (
    <div className="sim-track" data-kind={track.kind} style={{ minHeight: height }}>
      <div className="sim-track-name">
        <strong>{track.node}</strong>
        <span className="quiet small">
          {KIND_LABELS[track.kind as keyof typeof KIND_LABELS] ?? track.kind}, {counted(count, "row")}
          {hidden > 0 ? `, ${counted(hidden, "more row")} in the table` : ""}
        </span>
      </div>
      <svg width={scale.width} height={height} aria-hidden="true" onClick={askPlace}>
        <GridLines scale={scale} top={0} height={height} />
        <OutputCti simulation={simulation} node={track.node} scale={scale} height={height} />
        {drawn.map((place) => (
          <Result
            key={place.row.id}
            packed={place}
            fresh={place.row.after === position}
            selected={selected?.kind === "result" && selected.id === place.row.id}
            linked={linked.has(place.row.id)}
            changed={changed.has(place.row.id)}
            times={times}
            onSelect={select}
          />
        ))}
      </svg>
    </div>
  );
}

/** From a selected result to the rows of the nodes above from which it came, and on to theirs. */
function Threads({ all, linked, width }: { all: readonly TrackLayout[]; linked: ReadonlySet<number>; width: number }) {
  const { selected } = useSimulator();
  if (selected?.kind !== "result") return null;
  const places = new Map(
    all.flatMap(({ drawn, top }) =>
      drawn.map(({ row, x, line }) => [row.id, { row, x: x + 3, y: top + line * LINE + LINE / 2 + 1 }] as const),
    ),
  );
  const threads = [...linked].flatMap((id) => {
    const to = places.get(id);
    if (to === undefined) return [];
    return to.row.parents.flatMap((parent) => {
      const from = places.get(parent);
      if (from === undefined || !linked.has(parent)) return [];
      const bend = (to.y - from.y) / 2;
      const d = `M${from.x} ${from.y}C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
      return [<path key={`${parent} ${id}`} d={d} />];
    });
  });
  const last = all.at(-1);
  return (
    <svg
      className="sim-threads"
      width={width}
      height={last === undefined ? 0 : last.top + last.height}
      aria-hidden="true"
    >
      {threads}
    </svg>
  );
}

interface TracksProps {
  tracks: readonly Track[];
  scale: TimeScale;
  linked: ReadonlySet<number>;
  changed: ReadonlySet<number>;
}

/** Below the rows, on the same axis, what each node of the query has given at the position. */
export function Tracks({ tracks, scale, linked, changed }: TracksProps) {
  const position = usePosition();
  const all = useMemo(() => layouts(tracks, scale, position), [tracks, scale, position]);
  return (
    <div className="sim-tracks">
      {all.map((layout) => (
        <TrackView
          key={layout.track.node}
          layout={layout}
          scale={scale}
          position={position}
          linked={linked}
          changed={changed}
        />
      ))}
      <Threads all={all} linked={linked} width={scale.width} />
    </div>
  );
}
