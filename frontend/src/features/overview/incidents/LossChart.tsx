import { useId } from "react";
import { Panel } from "../../../components/page/Panel";
import { formatCompact } from "../../../lib/numbers";
import { type LetterPlace, letterPlaces } from "../../../model/alerts/incidents";
import type { IncidentFigures, TimelineEntry } from "../../../model/api";
import { unknownSpans } from "../../../model/live/dashboard";
import { rounded } from "../../../model/live/sparkline";
import { formatInstant, formatSpan, type Ticks } from "../../../model/time/ticks";
import { axisTimes, axisWords } from "../dashboard/TimeFrame";

const WIDTH = 900;
const HEIGHT = 180;
const FOOT = 20;
const LABELS = 2;

type Chart = IncidentFigures["chart"];

function placeIn({ begin, end }: Chart, at: Ticks): number {
  return rounded((WIDTH * (at - begin)) / (end - begin));
}

/** The place of a share of the height, from the foot. */
function y(share: number): number {
  return rounded((HEIGHT - FOOT) * (1 - share));
}

function Bars({ chart, most }: { chart: Chart; most: number }) {
  const width = (WIDTH * chart.step) / (chart.end - chart.begin);
  const path = chart.steps
    .filter(({ lost }) => lost > 0)
    .map(({ at, lost }) => {
      const left = rounded((WIDTH * (at - chart.begin)) / (chart.end - chart.begin) + 0.5);
      return `M${left} ${y(0)}V${y(lost / most)}h${rounded(Math.max(1, width - 1))}V${y(0)}Z`;
    });
  return <path className="lost-bars" d={path.join("")} />;
}

function LetterLinks({ places }: { places: readonly LetterPlace[] }) {
  return (
    <div className="letters">
      {places.map(({ entry, left, row }) => (
        <a
          key={entry.mark}
          href={`#entry-${entry.mark}`}
          className="letter"
          data-kind={entry.kind}
          title={`${formatInstant(entry.at).slice(11, 19)} ${entry.text}`}
          style={{ left: `${100 * left}%`, bottom: `${row * 22}px` }}
        >
          {entry.mark}
        </a>
      ))}
    </div>
  );
}

function Unknown({ chart }: { chart: Chart }) {
  const hatch = useId();
  return (
    <>
      <defs>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" className="hatch" />
        </pattern>
      </defs>
      {unknownSpans(chart).map(({ begin, end }) => (
        <rect
          key={begin}
          x={placeIn(chart, begin)}
          width={placeIn(chart, end) - placeIn(chart, begin)}
          y={0}
          height={y(0)}
          fill={`url(#${hatch})`}
        >
          <title>No data for this period: reports may be missing.</title>
        </rect>
      ))}
    </>
  );
}

interface LossChartProps {
  figures: IncidentFigures;
  timeline: readonly TimelineEntry[];
}

/** The rows lost in each step, with the letters of the timeline. */
export function LossChart({ figures, timeline }: LossChartProps) {
  const { chart } = figures;
  const most = Math.max(1, ...chart.steps.map(({ lost }) => lost));
  const places = letterPlaces(timeline, chart);
  const [begin, end] = [figures.begin, Math.min(figures.end, chart.end)].map((at) => placeIn(chart, at)) as [
    number,
    number,
  ];
  return (
    <Panel
      title="Rows lost"
      note={`In each ${formatSpan(chart.step)}; at most ${formatCompact(most)}. The letters are those of the timeline.`}
    >
      <div className="loss-chart">
        <LetterLinks places={places} />
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="Rows lost over time; the export has the figures">
          <rect className="incident-span" x={begin} width={Math.max(1, end - begin)} y={0} height={y(0)} />
          {Array.from({ length: LABELS }, (_, index) => (index + 1) / LABELS).map((share) => (
            <line key={share} className="grid" x1={0} x2={WIDTH} y1={y(share)} y2={y(share)} />
          ))}
          {places.map(({ entry, left }) => {
            const x = rounded(left * WIDTH);
            return <line key={entry.mark} className="letter-line" x1={x} x2={x} y1={0} y2={y(0)} />;
          })}
          <Bars chart={chart} most={most} />
          <Unknown chart={chart} />
          {axisTimes(chart).map((at) => (
            <text
              key={at}
              x={Math.max(16, Math.min(WIDTH - 16, placeIn(chart, at)))}
              y={HEIGHT - 5}
              textAnchor="middle"
            >
              {axisWords(at, chart)}
            </text>
          ))}
        </svg>
      </div>
    </Panel>
  );
}
