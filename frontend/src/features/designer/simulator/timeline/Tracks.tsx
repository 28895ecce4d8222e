import { type MouseEvent, memo, type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { KIND_LABELS } from "../../../../messages/definition/summary";
import { fitted, resultWords, spanWords, type TimeWords } from "../../../../messages/simulation";
import { ctiAt } from "../../../../model/simulation/currentState";
import type { PackedRow } from "../../../../model/simulation/drawing/geometry";
import { edgeOf, type TimeScale, tickAt } from "../../../../model/simulation/drawing/scale";
import { emitsRowAt, GAP, LINE, layoutOf, type TrackLayout } from "../../../../model/simulation/drawing/tracks";
import type { Simulation, Track } from "../../../../model/simulation/types";
import { counted } from "../../../../model/text/counts";
import { useAtPosition, usePosition } from "../position";
import { type Selected, useSimulator } from "../view";
import { GridLines } from "./Axis";

interface ResultProps {
  packed: PackedRow;
  fresh: boolean;
  selected: boolean;
  linked: boolean;
  changed: boolean;
  times: TimeWords;
  onSelect: (selected: Selected) => void;
}

/** Positions are recomputed at each step; unmoved results are not rendered again. */
function drawnAlike(one: ResultProps, other: ResultProps): boolean {
  const { packed: a, ...rest } = one;
  const { packed: b, ...others } = other;
  const same =
    a.row === b.row && a.x === b.x && a.width === b.width && a.room === b.room && a.line === b.line && a.end === b.end;
  return same && (Object.keys(rest) as (keyof typeof rest)[]).every((name) => rest[name] === others[name]);
}

/** The maximum width of a short row's label next to its bar, if there is room. */
const MOST_BESIDE = 120;
const LEAST_SIGNS = 6;

/** Return a row's label, shortened to the available space; empty if it would be too short to be useful. */
function labelOf(words: string, pixels: number): string {
  const label = fitted(words, pixels);
  return label === words || label.length >= LEAST_SIGNS ? label : "";
}

const Result = memo(function Result({ packed: place, times, ...props }: ResultProps) {
  const { row, x, width, room, line, end } = place;
  const words = resultWords(row);
  const label = labelOf(words, Math.min(room, Math.max(width, MOST_BESIDE)) - 8);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tables offer the same by keyboard
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
      {label === "" ? null : (
        <text x={5} y={LINE - 9}>
          {label}
        </text>
      )}
    </g>
  );
}, drawnAlike);

/** The CTI of a node as a line; renders nothing without a CTI. */
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
  const staircase = useMemo(
    () => simulation.staircases.find((each) => each.node === node && each.lane === null && each.substream === null),
    [simulation, node],
  );
  const x = useAtPosition((position) => {
    const at = staircase === undefined ? undefined : ctiAt(staircase, position);
    return at === undefined ? -1 : edgeOf(scale, at);
  });
  if (x < 0) return null;
  return (
    <>
      <rect className="sim-final" x={0} y={0} width={x} height={height} />
      <path className="sim-cti" d={`M${x} 0V${height}`} />
    </>
  );
}

/** Return true if an element is in or near the viewport; always true for few elements or without an observer. */
function useSeen(element: RefObject<HTMLElement | null>, always: boolean): boolean {
  const watched = !always && typeof IntersectionObserver !== "undefined";
  const [seen, setSeen] = useState(!watched);
  useEffect(() => {
    if (!watched || element.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => setSeen(entries.at(-1)?.isIntersecting ?? true), {
      rootMargin: "200px",
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, watched]);
  return seen || always;
}

interface TrackProps {
  layout: TrackLayout;
  scale: TimeScale;
  simulation: Simulation;
  times: TimeWords;
  select: (selected: Selected) => void;
  /** The position, if the track emits a result there. */
  fresh: number | null;
  /** The id of the selected result, if it belongs to this track. */
  selected: number | null;
  linked: ReadonlySet<number>;
  changed: ReadonlySet<number>;
  /** True to render it even outside the viewport. */
  always: boolean;
}

/** The results of a node so far: one bar for each current row, and the node's CTI as a line. */
const TrackView = memo(function TrackView(props: TrackProps) {
  const { layout, scale, simulation, select } = props;
  const { track, drawn, hidden, count, height } = layout;
  const box = useRef<HTMLDivElement | null>(null);
  const seen = useSeen(box, props.always);
  const askPlace = (event: MouseEvent<SVGSVGElement>) => {
    const at = tickAt(scale, event.clientX - event.currentTarget.getBoundingClientRect().left);
    select({ kind: "place", node: track.node, at });
  };
  return (
    <div className="sim-track" data-kind={track.kind} style={{ minHeight: height }} ref={box}>
      <div className="sim-track-name">
        <strong>{track.node}</strong>
        <span className="quiet small">
          {KIND_LABELS[track.kind as keyof typeof KIND_LABELS] ?? track.kind}, {counted(count, "row")}
          {hidden > 0 ? `, ${counted(hidden, "more row")} in the table` : ""}
        </span>
      </div>
      {seen ? (
        <svg width={scale.width} height={height} aria-hidden="true" onClick={askPlace}>
          <GridLines scale={scale} top={0} height={height} />
          <OutputCti simulation={simulation} node={track.node} scale={scale} height={height} />
          {drawn.map((place) => (
            <Result
              key={place.row.id}
              packed={place}
              fresh={place.row.after === props.fresh}
              selected={place.row.id === props.selected}
              linked={props.linked.has(place.row.id)}
              changed={props.changed.has(place.row.id)}
              times={props.times}
              onSelect={select}
            />
          ))}
        </svg>
      ) : null}
    </div>
  );
});

interface ThreadsProps {
  all: readonly TrackLayout[];
  linked: ReadonlySet<number>;
  width: number;
}

/** Lines from a selected result to the rows that it was computed from, and on to theirs. */
function Threads({ all, linked, width }: ThreadsProps) {
  let top = 0;
  const places = new Map<number, { parents: readonly number[]; x: number; y: number }>();
  for (const { drawn, height } of all) {
    for (const { row, x, line } of drawn) {
      places.set(row.id, { parents: row.parents, x: x + 3, y: top + line * LINE + LINE / 2 + 1 });
    }
    top += height + GAP;
  }
  const threads = [...linked].flatMap((id) => {
    const to = places.get(id);
    if (to === undefined) return [];
    return to.parents.flatMap((parent) => {
      const from = places.get(parent);
      if (from === undefined || !linked.has(parent)) return [];
      const bend = (to.y - from.y) / 2;
      const d = `M${from.x} ${from.y}C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
      return [<path key={`${parent} ${id}`} d={d} />];
    });
  });
  return (
    <svg className="sim-threads" width={width} height={Math.max(0, top - GAP)} aria-hidden="true">
      {threads}
    </svg>
  );
}

/** Above this number, tracks are rendered only in the viewport. */
const ALL_DRAWN = 12;
const NONE: ReadonlySet<number> = new Set();

/** Return those of `ids` that belong to a track; without any, always the same empty set. */
function ofTrack({ track }: TrackLayout, ids: ReadonlySet<number>): ReadonlySet<number> {
  return ids.size > 0 && track.rows.some((row) => ids.has(row.id)) ? ids : NONE;
}

interface TracksProps {
  tracks: readonly Track[];
  scale: TimeScale;
  linked: ReadonlySet<number>;
  changed: ReadonlySet<number>;
}

/** Below the rows, on the same axis: the results of each node at the position. */
export function Tracks({ tracks, scale, linked, changed }: TracksProps) {
  const { simulation, select, selected, times } = useSimulator();
  const position = useDeferredValue(usePosition()); // rows and the line render first, nodes a moment later
  const all = tracks.map((track) => layoutOf(track, scale, position));
  const chosen = selected?.kind === "result" ? selected.id : null;
  return (
    <div className="sim-tracks">
      {all.map((layout) => (
        <TrackView
          key={layout.track.node}
          layout={layout}
          scale={scale}
          simulation={simulation}
          times={times}
          select={select}
          fresh={emitsRowAt(layout.track, position) ? position : null}
          selected={layout.drawn.some(({ row }) => row.id === chosen) ? chosen : null}
          linked={ofTrack(layout, linked)}
          changed={ofTrack(layout, changed)}
          always={tracks.length <= ALL_DRAWN}
        />
      ))}
      {chosen === null ? null : <Threads all={all} linked={linked} width={scale.width} />}
    </div>
  );
}
