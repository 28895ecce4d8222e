import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import type { DashboardResponse } from "../../../model/api";
import { lostOf, receivedIn, wholeOf } from "../../../model/live/dashboard";
import { brushed, type Span } from "../../../model/live/ranges";
import { rounded } from "../../../model/live/sparkline";
import { formatInstant, type Ticks } from "../../../model/time/ticks";
import { axisTimes, axisWords } from "./TimeFrame";

const WIDTH = 1_000;
const HEIGHT = 26;
const BORDERS = ["begin", "end"] as const;
type Border = (typeof BORDERS)[number];
const BORDER_WORDS: Record<Border, string> = { begin: "Start of the range", end: "End of the range" };

/** Return a place as a percentage of the width. */
function percent(at: Ticks, { begin, end }: Span): number {
  return Math.max(0, Math.min(100, (100 * (at - begin)) / (end - begin)));
}

function VersionBands({ around }: { around: DashboardResponse }) {
  return around.runs.map(({ run, version, begin, end, number }, index) => {
    const left = percent(begin, around);
    const words = version === null ? `run ${number}` : `v${version}, run ${number}`;
    const since = `${words}, since ${formatInstant(begin).slice(0, 16)} UTC`;
    return (
      <span
        key={run}
        className="brush-band"
        data-odd={index % 2 === 1}
        title={since}
        style={{ left: `${left}%`, width: `${percent(end ?? around.end, around) - left}%` }}
      >
        {words}
      </span>
    );
  });
}

/** The share of rows that are in no result, as a line; it has gaps where nothing is known. */
function LossLine({ around }: { around: DashboardResponse }) {
  const shares = around.steps.map((step) => {
    const received = receivedIn(step);
    if (step.knowledge !== "known") return null;
    return received === 0 ? 0 : lostOf(wholeOf([step])) / received;
  });
  const most = Math.max(0.01, ...shares.map((share) => share ?? 0));
  let path = "";
  let drawn = false;
  for (const [index, share] of shares.entries()) {
    if (share !== null) {
      const x = ((index + 0.5) * WIDTH) / shares.length;
      path += `${drawn ? "L" : "M"}${rounded(x)} ${rounded(HEIGHT - 2 - (share / most) * (HEIGHT - 4))}`;
    }
    drawn = share !== null;
  }
  return (
    <svg className="brush-line" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

interface BrushProps {
  /** The figures of the time around the range. */
  around: DashboardResponse;
  selected: Span;
  onSelect: (range: Span) => void;
}

/** A drag moves one border while the other stays at `from`, or the whole selection. */
interface Drag {
  from: Ticks;
  whole: boolean;
  moved: Span;
}

/** Return the selection while it is dragged, and the handlers of the track. */
function useBrushDrag({ around, selected, onSelect }: BrushProps) {
  const track = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const timeOf = (event: PointerEvent): Ticks => {
    const box = track.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return around.begin;
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    return around.begin + share * (around.end - around.begin);
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    const at = timeOf(event);
    const { border } = (event.target as HTMLElement).dataset;
    const whole = border === undefined && at > selected.begin && at < selected.end;
    const fixed = border === "begin" ? selected.end : border === "end" ? selected.begin : at;
    track.current?.setPointerCapture(event.pointerId);
    setDrag({ from: whole ? at : fixed, whole, moved: selected });
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag === null) return;
    const at = timeOf(event);
    const by = at - drag.from;
    const moved = drag.whole
      ? { begin: selected.begin + by, end: selected.end + by }
      : { begin: Math.min(at, drag.from), end: Math.max(at, drag.from) };
    setDrag({ ...drag, moved });
  };
  const onPointerUp = () => {
    if (drag !== null && drag.moved !== selected) onSelect(brushed(drag.moved.begin, drag.moved.end, around.now));
    setDrag(null);
  };
  const onPointerCancel = () => setDrag(null);
  return {
    span: drag?.moved ?? selected,
    track: { ref: track, onPointerDown, onPointerMove, onPointerUp, onPointerCancel },
  };
}

/** The time around the range, with versions and losses; dragging selects another range. */
export function Brush(props: BrushProps) {
  const { around, selected, onSelect } = props;
  const { span, track } = useBrushDrag(props);
  const [left, right] = [percent(span.begin, around), percent(span.end, around)];
  const press = (border: Border) => (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -6, PageUp: 6 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const moved = { ...selected, [border]: selected[border] + by * around.step };
    if (moved.begin < moved.end) onSelect(brushed(moved.begin, moved.end, around.now));
  };

  return (
    <section className="brush" aria-label="Time range">
      <div className="brush-bands">
        <VersionBands around={around} />
      </div>
      <div className="brush-track" {...track}>
        <LossLine around={around} />
        <div className="brush-selection" style={{ left: `${left}%`, width: `${right - left}%` }} />
        {BORDERS.map((border) => (
          <div
            key={border}
            role="slider"
            tabIndex={0}
            className="brush-handle"
            data-border={border}
            aria-label={BORDER_WORDS[border]}
            aria-valuemin={around.begin}
            aria-valuemax={around.end}
            aria-valuenow={Math.round(span[border])}
            aria-valuetext={`${formatInstant(Math.round(span[border])).slice(0, 16)} UTC`}
            style={{ left: `${border === "begin" ? left : right}%` }}
            onKeyDown={press(border)}
          />
        ))}
      </div>
      <div className="brush-axis" aria-hidden="true">
        {axisTimes(around).map((at) => (
          <span key={at} style={{ left: `${percent(at, around)}%` }}>
            {axisWords(at, around)}
          </span>
        ))}
      </div>
    </section>
  );
}
