import type { DashboardResponse, DetailsResponse } from "../../../model/api";
import { LAG_PARTS, type LagStack, lagPartsTable, lagStacks } from "../../../model/live/details";
import { formatSpan, type Ticks } from "../../../model/time/ticks";
import { timeStep } from "../../../model/time/timeSteps";
import { ChartPanel } from "./ChartPanel";
import type { Compared } from "./comparison";
import { type FramePlaces, placesIn, stepLine, TimeFrame } from "./TimeFrame";

const GRID = 4;

/** Return the area of one part of all stacks. */
function areaOf(stacks: readonly LagStack[], part: number, scale: { most: Ticks; step: Ticks }, places: FramePlaces) {
  const { x, y } = places;
  const height = (lag: Ticks) => y(Math.min(1, lag / scale.most));
  return stacks
    .map(({ at, reached }) => {
      if (reached === null) return "";
      const from = x(at);
      const to = x(at + scale.step);
      const foot = height(reached[part - 1] ?? 0);
      return `M${from} ${foot}V${height(reached[part] ?? 0)}H${to}V${foot}Z`;
    })
    .join("");
}

interface LagPartsChartProps {
  shown: DashboardResponse;
  details: DetailsResponse;
  compared: Compared | null;
}

/** The largest lag of each step as stacked areas: who made results wait. */
export function LagPartsChart({ shown, details, compared }: LagPartsChartProps) {
  const stacks = lagStacks(details);
  const others = compared === null ? [] : lagStacks(compared.details);
  const longest = Math.max(1_000, ...stacks.map(({ largest }) => largest), ...others.map(({ largest }) => largest));
  const unit = timeStep(longest, GRID);
  const most = Math.ceil(longest / unit) * unit;
  const marks = Array.from({ length: most / unit + 1 }, (_, index) => ({
    share: (index * unit) / most,
    words: formatSpan(index * unit),
  }));
  const places = placesIn(shown);
  const wholes = stacks.map(({ at, largest }) => ({ at, share: largest / most }));
  return (
    <ChartPanel
      title="Parts of the lag"
      note={`Largest lag in each ${formatSpan(details.step)}: time minus the smallest CTI of the inputs`}
      file={`${shown.name}-lag`}
      table={lagPartsTable(details)}
    >
      <TimeFrame shown={shown} label="Largest lag over time by its parts; the table has the figures" marks={marks}>
        {compared === null ? null : (
          <path
            d={stepLine(
              others.map(({ at, largest }) => ({ at: at + compared.offset, share: largest / most })),
              compared.details.step,
              places,
            )}
            className="compared-line"
          />
        )}
        {LAG_PARTS.map(([part], index) => (
          <path key={part} d={areaOf(stacks, index, { most, step: details.step }, places)} className={`lag-${part}`} />
        ))}
        <path d={stepLine(wholes, details.step, places)} className="lag-line" />
      </TimeFrame>
      <p className="legend">
        {LAG_PARTS.map(([part, words]) => (
          <span key={part} className="swatch-words">
            <span className={`swatch lag-${part}`} /> {words}
          </span>
        ))}
      </p>
    </ChartPanel>
  );
}
