import { counted } from "../../../lib/numbers";
import type { DashboardResponse, DetailsInput, DetailsResponse } from "../../../model/api";
import { behindTable, type Heatmap, heatmapOf, heightOf } from "../../../model/live/details";
import { formatSpan, type Ticks } from "../../../model/time/ticks";
import { ChartPanel } from "./ChartPanel";
import type { Compared } from "./comparison";
import { type FramePlaces, placesIn, stepLine, TimeFrame } from "./TimeFrame";

const SHADES = [1, 2, 3, 4, 5, 6];
const MARKS: readonly Ticks[] = [10_000, 100_000, 1_000_000, 10_000_000, 60_000_000, 600_000_000, 3_600_000_000];

/** Return the cells of one shade as one path. */
function cellsOf({ cells, lowest, highest }: Heatmap, shade: number, step: Ticks, { x, y }: FramePlaces): string {
  const rows = highest - lowest + 1;
  return cells
    .filter((cell) => cell.shade === shade)
    .map(({ at, row }) => {
      const top = y((row - lowest + 1) / rows);
      return `M${x(at)} ${top}H${x(at + step)}V${y((row - lowest) / rows)}H${x(at)}Z`;
    })
    .join("");
}

interface LineProps {
  heatmap: Heatmap;
  values: readonly (Ticks | null)[];
  steps: { begin: Ticks; step: Ticks };
  places: FramePlaces;
  className: string;
}

function Line({ heatmap, values, steps, places, className }: LineProps) {
  const points = values.map((value, index) => ({
    at: steps.begin + index * steps.step,
    share: value === null ? null : heightOf(heatmap, value),
  }));
  return <path d={stepLine(points, steps.step, places)} className={className} />;
}

function delayWords(input: DetailsInput): string {
  const delay = input.delay.findLast((each) => each !== null) ?? null;
  return delay === null ? "no delay is set" : `red: delay D = ${formatSpan(delay)}`;
}

interface InputHeatmapProps {
  shown: DashboardResponse;
  details: DetailsResponse;
  input: DetailsInput;
  compared: Compared | null;
}

function InputHeatmap({ shown, details, input, compared }: InputHeatmapProps) {
  const heatmap = heatmapOf(input, details);
  const places = placesIn(shown);
  const marks = MARKS.map((distance) => ({ share: heightOf(heatmap, distance), words: formatSpan(distance) })).filter(
    ({ share }) => share > 0 && share < 1,
  );
  const other = compared?.details.inputs.find(({ name }) => name === input.name);
  const past = { begin: (compared?.details.begin ?? 0) + (compared?.offset ?? 0), step: compared?.details.step ?? 1 };
  return (
    <ChartPanel
      title={details.inputs.length > 1 ? `How far rows of ${input.name} come behind` : "How far rows come behind"}
      note={`Rows by largest start minus own start; ${delayWords(input)}`}
      file={`${shown.name}-${input.name}-behind`}
      table={behindTable(input, details)}
    >
      <TimeFrame
        shown={shown}
        label="Rows over time by how far they come behind; the table has the figures"
        marks={marks}
      >
        {SHADES.map((shade) => (
          <path key={shade} d={cellsOf(heatmap, shade, details.step, places)} fill={`var(--heat-${shade})`} />
        ))}
        {other === undefined ? null : (
          <Line heatmap={heatmap} values={other.most} steps={past} places={places} className="compared-line" />
        )}
        <Line heatmap={heatmap} values={input.median} steps={details} places={places} className="quantile-line" />
        <Line heatmap={heatmap} values={input.most} steps={details} places={places} className="quantile-line" />
        <Line heatmap={heatmap} values={input.delay} steps={details} places={places} className="delay-line" />
      </TimeFrame>
      <p className="legend">
        <span className="swatch-words">
          few{" "}
          {SHADES.map((shade) => (
            <span key={shade} className="swatch" style={{ background: `var(--heat-${shade})` }} />
          ))}{" "}
          many rows
        </span>
        <span>Lines: median and 99 %</span>
        {input.unmeasured > 0 ? <span>{counted(input.unmeasured, "row")} without a distance</span> : null}
      </p>
    </ChartPanel>
  );
}

/** For each input, its rows over time by their distance from the largest start, with the delay D. */
export function HeatmapCharts({ shown, details, compared }: Omit<InputHeatmapProps, "input">) {
  return details.inputs.map((input) => (
    <InputHeatmap key={input.name} shown={shown} details={details} input={input} compared={compared} />
  ));
}
