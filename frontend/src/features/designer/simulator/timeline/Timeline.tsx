import { type CSSProperties, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { timesColumn } from "../../../../messages/simulation";
import { finalResults } from "../../../../model/simulation/differences";
import { rowsInView } from "../../../../model/simulation/drawing/geometry";
import { panned, type TimeScale, tickAt } from "../../../../model/simulation/drawing/scale";
import { usePositionStore } from "../position";
import { useSimulator } from "../view";
import { Axis, GridLines } from "./Axis";
import { linkedTo } from "./links";
import { PaneLabels, PaneRects, useBoxes } from "./Panes";
import { RowBar } from "./RowBar";
import { ROW_KEYS, RowList } from "./RowList";
import { ScrubLine } from "./ScrubLine";
import { FinalAreas, StaircaseLines, StaircaseNames } from "./Staircases";
import { type TimelineSelection, useTimelineSelection } from "./selection";
import { TimelineTools } from "./TimelineTools";
import { Tracks } from "./Tracks";
import { useScale } from "./useScale";
import { useWidth } from "./useWidth";

const MOST_HEIGHT = 560;

/** Return the row height: few rows are drawn with space, many close together, so that more of them are visible. */
function rowHeightFor(count: number): number {
  if (count <= 16) return 32;
  return count <= 40 ? 26 : 22;
}

/** Track the visible rows, and keep the line in view while it moves. */
function useRowsInView(count: number, rowHeight: number) {
  const scroller = useRef<HTMLDivElement | null>(null);
  const [top, setTop] = useState(0);
  const stride = 6 * rowHeight; // less than the margin drawn around the view, so that not every pixel triggers a render
  const height = Math.min((count + 1) * rowHeight + 4, MOST_HEIGHT);
  const store = usePositionStore();
  const { selected, numbers } = useSimulator();
  const chosen = selected?.kind === "row" ? (numbers.get(selected.key) ?? null) : null;
  const scrolled = useRef(0); // reading it from the element would force a layout at each step of the line
  const keepInView = (y: number) => {
    const box = scroller.current;
    if (box === null) return;
    const from = scrolled.current;
    const above = y < from + rowHeight;
    if (!above && y <= from + height - rowHeight) return;
    box.scrollTop = Math.max(0, above ? y - 3 * rowHeight : y - height + 3 * rowHeight);
    scrolled.current = box.scrollTop;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only moves of the line scroll to it
  useEffect(() => store.subscribe(() => keepInView(store.get() * rowHeight)), [store, rowHeight, height]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the row scrolls to it
  useEffect(() => {
    if (chosen !== null) keepInView((chosen - 0.5) * rowHeight);
  }, [chosen]);
  return {
    scroller,
    height,
    band: rowsInView(top, height, rowHeight, count),
    onScroll: (at: number) => {
      scrolled.current = at;
      setTop(Math.floor(at / stride) * stride);
    },
  };
}

interface PlotProps {
  scale: TimeScale;
  rowHeight: number;
  band: { from: number; to: number };
  shown: TimelineSelection;
  onPan: (pixels: number) => void;
}

/** Handle the empty area: a drag moves the axis, a press explains why there is no result. */
function useGround({ scale, onPan, shown }: PlotProps) {
  const { select } = useSimulator();
  const from = useRef<{ x: number; moved: boolean } | null>(null);
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      from.current = { x: event.clientX, moved: false };
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      const start = from.current;
      if (start === null || event.buttons === 0 || Math.abs(event.clientX - start.x) < 4) return;
      onPan(start.x - event.clientX);
      from.current = { x: event.clientX, moved: true };
    },
    onPointerUp: (event: PointerEvent<SVGSVGElement>) => {
      const moved = from.current?.moved ?? true;
      from.current = null;
      if (moved || shown.node === null || event.target !== event.currentTarget) return;
      const at = tickAt(scale, event.clientX - event.currentTarget.getBoundingClientRect().left);
      select({ kind: "place", node: shown.node, at });
    },
  };
}

function Plot(props: PlotProps) {
  const { scale, rowHeight, band, shown } = props;
  const view = useSimulator();
  const { simulation, keys, selected, differences } = view;
  const boxes = useBoxes({ ...shown, scale, rowHeight });
  const ground = useGround(props);
  const linked = useMemo(() => linkedTo(view, selected), [view, selected]);
  const changed = useMemo(() => new Set(differences?.outcomes.map(({ key }) => key)), [differences]);
  const places = useMemo(() => simulation.rows.map((row) => row.sample_row), [simulation]);
  const top = band.from * rowHeight;
  const bottom = (Math.max(band.to, 1) + 1) * rowHeight;
  const lines = { simulation, input: shown.input, scale, rowHeight, band: { from: band.from, to: band.to + 1 } };
  return (
    <svg
      className="sim-plot"
      width={scale.width}
      height={bottom - top}
      viewBox={`0 ${top} ${scale.width} ${bottom - top}`}
      style={{ top }}
      aria-hidden="true"
      {...ground}
    >
      <FinalAreas {...lines} />
      <PaneRects boxes={boxes} top={top} bottom={bottom} />
      <GridLines scale={scale} top={top} height={bottom - top} />
      <StaircaseLines {...lines} />
      {simulation.rows.slice(band.from, band.to).map((row) => {
        const key = keys[row.number - 1] ?? "";
        return (
          <RowBar
            key={key}
            row={row}
            rowKey={key}
            places={places}
            scale={scale}
            rowHeight={rowHeight}
            selected={selected?.kind === "row" && selected.key === key}
            linked={linked.rows.has(row.number) || linked.missed.has(row.number)}
            changed={changed.has(key)}
            readOnly={view.readOnly}
            clock={view.clocks.get(row.stream)}
            onSelect={view.select}
            onEdit={view.edits.edit}
            onTry={view.tryEdit}
          />
        );
      })}
      <StaircaseNames {...lines} />
      <PaneLabels boxes={boxes} top={top} bottom={bottom} right={scale.width} />
    </svg>
  );
}

function useMarks() {
  const view = useSimulator();
  const { selected, differences } = view;
  const linked = useMemo(() => linkedTo(view, selected), [view, selected]);
  const changedRows = useMemo(() => new Set(differences?.outcomes.map(({ key }) => key)), [differences]);
  const changedResults = useMemo(() => {
    const { added = [], changed = [] } = differences?.results ?? {};
    return new Set([...added, ...changed.map(({ after }) => after)].map((row) => row.id));
  }, [differences]);
  return { linked, changedRows, changedResults };
}

/** The drawing: x is event time, y the order of arrival; below it, on the same axis, the results of each node. */
export function Timeline() {
  const { simulation, times } = useSimulator();
  const column = useMemo(() => timesColumn(simulation.rows, times), [simulation.rows, times]);
  const [plot, width] = useWidth();
  const { scale, setScale, fit, fitted } = useScale(simulation, width);
  const [shown, setResponse] = useTimelineSelection();
  const count = simulation.rows.length;
  const rowHeight = rowHeightFor(count);
  const { scroller, height, band, onScroll } = useRowsInView(count, rowHeight);
  const { linked, changedRows, changedResults } = useMarks();
  const tracks = useMemo(() => simulation.tracks.filter((track) => track.kind !== "input"), [simulation]);
  const whole = (count + 1) * rowHeight;
  const results = finalResults(simulation).length;
  return (
    <div className="sim-timeline" style={{ "--sim-times-whole": `${column.width}px` } as CSSProperties}>
      <TimelineTools shown={shown} setResponse={setResponse} setScale={setScale} fit={fit} fitted={fitted} />
      <p id="sim-row-keys" className="visually-hidden">
        {ROW_KEYS}
      </p>
      <div className="sim-heads" aria-hidden="true">
        <span>arrival</span>
        <span className="sim-times">{column.head}</span>
        <span className="sim-word">outcome</span>
      </div>
      <div
        className="sim-scroll"
        ref={scroller}
        style={{ height }}
        data-results={results}
        onScroll={(event) => onScroll(event.currentTarget.scrollTop)}
      >
        <div className="sim-sheet" style={{ height: whole }}>
          <RowList {...{ band, rowHeight, scale, column }} linked={linked.rows} changed={changedRows} />
          <div className="sim-end" style={{ top: count * rowHeight, height: rowHeight }} aria-hidden="true">
            end<span className="sim-word">&nbsp;of the sample</span>
          </div>
          <div className="sim-field" ref={plot}>
            <Plot
              scale={scale}
              rowHeight={rowHeight}
              band={band}
              shown={shown}
              onPan={(pixels) => setScale((before) => panned(before, pixels))}
            />
          </div>
          <ScrubLine rowHeight={rowHeight} height={whole} />
        </div>
      </div>
      <Axis scale={scale} />
      <Tracks tracks={tracks} scale={scale} linked={linked.results} changed={changedResults} />
    </div>
  );
}
