import { type PointerEvent, type ReactNode, useId } from "react";
import { counted } from "../../../lib/numbers";
import type { DashboardResponse } from "../../../model/api";
import { unknownSpans } from "../../../model/live/dashboard";
import type { Span } from "../../../model/live/ranges";
import { rounded } from "../../../model/live/sparkline";
import { formatInstant, type Ticks } from "../../../model/time/ticks";
import { timeStep } from "../../../model/time/timeSteps";
import { NoteMarks } from "../notes/NoteMarks";
import { useCrosshair, useMoveCrosshair } from "./crosshair";

/** The drawing has these coordinates, and is scaled to its panel. */
export const WIDTH = 420;
export const HEIGHT = 180;
const TOP = 12;
const LEFT = 54;
const RIGHT = 6;
const FOOT = 20;
const MARKS = 6;
const DAY: Ticks = 86_400_000_000;
const LABEL_WIDTH = 40;

export interface FramePlaces {
  x: (at: Ticks) => number;
  /** The place of a share of the height, from the foot. */
  y: (share: number) => number;
}

export function placesIn({ begin, end }: Span): FramePlaces {
  const across = WIDTH - LEFT - RIGHT;
  return {
    x: (at) => rounded(LEFT + ((Math.max(begin, Math.min(end, at)) - begin) / (end - begin)) * across),
    y: (share) => rounded(HEIGHT - FOOT - share * (HEIGHT - FOOT - TOP)),
  };
}

/** Return a line of steps, which is interrupted where there is no value. */
export function stepLine(
  steps: readonly { at: Ticks; share: number | null }[],
  width: Ticks,
  { x, y }: FramePlaces,
): string {
  let path = "";
  let drawn = false;
  for (const { at, share } of steps) {
    if (share !== null) {
      const height = y(Math.min(1, share));
      path += `${drawn ? "L" : "M"}${x(at)} ${height}L${x(at + width)} ${height}`;
    }
    drawn = share !== null;
  }
  return path;
}

/** Return the round times of an axis. */
export function axisTimes({ begin, end }: Span): Ticks[] {
  const step = timeStep(end - begin, MARKS);
  const times: Ticks[] = [];
  for (let at = Math.ceil(begin / step) * step; at < end; at += step) times.push(at);
  return times;
}

/** A time on the axis: the time of day, or the date in long ranges. */
export function axisWords(at: Ticks, { begin, end }: Span): string {
  const text = formatInstant(at);
  return end - begin > 2 * DAY ? text.slice(5, 10) : text.slice(11, 16);
}

/** The starts of runs as triangles, and dotted lines. */
function RunMarks({ shown }: { shown: DashboardResponse }) {
  const { x, y } = placesIn(shown);
  const starts = shown.runs.filter(({ begin }) => begin > shown.begin && begin < shown.end);
  return starts.map(({ run, version, begin, number }) => (
    <g key={run}>
      <title>{`Run ${number}${version === null ? "" : ` of v${version}`} starts at ${formatInstant(begin).slice(0, 16)} UTC`}</title>
      <line x1={x(begin)} x2={x(begin)} y1={y(1)} y2={y(0)} className="run-line" />
      <path d={`M${x(begin) - 4} ${TOP - 7}h8l-4 6z`} className="run-mark" />
    </g>
  ));
}

function Unknown({ shown }: { shown: DashboardResponse }) {
  const { x, y } = placesIn(shown);
  const hatch = useId();
  return (
    <>
      <defs>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" className="hatch" />
        </pattern>
      </defs>
      {unknownSpans(shown).map(({ begin, end }) => (
        <rect key={begin} x={x(begin)} y={y(1)} width={x(end) - x(begin)} height={y(0) - y(1)} fill={`url(#${hatch})`}>
          <title>No data for this period: reports may be missing.</title>
        </rect>
      ))}
    </>
  );
}

function CrosshairLine({ shown }: { shown: DashboardResponse }) {
  const at = useCrosshair();
  const { x, y } = placesIn(shown);
  if (at === null || at < shown.begin || at > shown.end) return null;
  const place = Math.max(LEFT + LABEL_WIDTH / 2, Math.min(WIDTH - LABEL_WIDTH / 2, x(at)));
  return (
    <g className="crosshair">
      <line x1={x(at)} x2={x(at)} y1={y(1)} y2={y(0)} />
      <rect x={place - LABEL_WIDTH / 2} y={HEIGHT - FOOT + 2} width={LABEL_WIDTH} height={16} rx={3} />
      <text x={place} y={HEIGHT - FOOT + 14} textAnchor="middle">
        {axisWords(at, shown)}
      </text>
    </g>
  );
}

interface TimeFrameProps {
  shown: DashboardResponse;
  /** The chart in words, for screen readers; the table has its figures. */
  label: string;
  /** The words at shares of the height. */
  marks: readonly { share: number; words: string }[];
  children: ReactNode;
}

/** The axes of a chart over the range of the page, with starts of runs, hatching without data, and the crosshair. */
export function TimeFrame({ shown, label, marks, children }: TimeFrameProps) {
  const { x, y } = placesIn(shown);
  const move = useMoveCrosshair();
  const unknown = unknownSpans(shown).length;
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH;
    const share = (place - LEFT) / (WIDTH - LEFT - RIGHT);
    move(share < 0 || share > 1 ? null : Math.round(shown.begin + share * (shown.end - shown.begin)));
  };
  return (
    <>
      <svg
        className="time-chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={label}
        onPointerMove={point}
        onPointerLeave={() => move(null)}
      >
        {marks.map(({ share, words }) => (
          <g key={share}>
            <line x1={LEFT} x2={WIDTH - RIGHT} y1={y(share)} y2={y(share)} className="grid" />
            <text x={LEFT - 5} y={y(share) + 4} textAnchor="end">
              {words}
            </text>
          </g>
        ))}
        {children}
        <Unknown shown={shown} />
        <RunMarks shown={shown} />
        <NoteMarks span={shown} x={x} top={y(1)} />
        {axisTimes(shown).map((at) => (
          <text key={at} x={x(at)} y={HEIGHT - 6} textAnchor="middle">
            {axisWords(at, shown)}
          </text>
        ))}
        <CrosshairLine shown={shown} />
      </svg>
      {unknown === 0 ? null : (
        <p className="quiet small">Hatched: no data for {counted(unknown, "period")}, reports may be missing.</p>
      )}
    </>
  );
}
