import { formatCount } from "../../../lib/numbers";
import type { DashboardResponse, DetailsInput, DetailsLane, DetailsResponse } from "../../../model/api";
import { drawnLanes, laneName, lanesTable } from "../../../model/live/details";
import { formatSpan, type Ticks } from "../../../model/time/ticks";
import { timeStep } from "../../../model/time/timeSteps";
import { ChartPanel } from "./ChartPanel";
import { placesIn, stepLine, TimeFrame } from "./TimeFrame";

const GRID = 4;
/** So many lanes have a colour; the others are grey. */
const COLOURED = 3;

function colourOf(index: number): string {
  return index < COLOURED ? `var(--series-${index + 1})` : "var(--line-strong)";
}

function lastBehind({ behind }: DetailsLane): Ticks | null {
  return behind.findLast((each) => each !== null) ?? null;
}

interface InputLanesProps {
  shown: DashboardResponse;
  details: DetailsResponse;
  input: DetailsInput;
}

function InputLanes({ shown, details, input }: InputLanesProps) {
  const lanes = drawnLanes(input);
  const longest = Math.max(1_000, ...lanes.flatMap(({ behind }) => behind.map((each) => each ?? 0)));
  const unit = timeStep(longest, GRID);
  const most = Math.ceil(longest / unit) * unit;
  const marks = Array.from({ length: most / unit + 1 }, (_, index) => ({
    share: (index * unit) / most,
    words: formatSpan(index * unit),
  }));
  const places = placesIn(shown);
  const lines = lanes.map((lane, index) => ({
    name: laneName(lane),
    colour: colourOf(index),
    path: stepLine(
      lane.behind.map((each, step) => ({
        at: details.begin + step * details.step,
        share: each === null ? null : each / most,
      })),
      details.step,
      places,
    ),
  }));
  return (
    <ChartPanel
      title={details.inputs.length > 1 ? `Frontier of the lanes of ${input.name}` : "Frontier of the lanes"}
      note={`Time minus the CTI of each lane, at the last report of each ${formatSpan(details.step)}`}
      file={`${shown.name}-${input.name}-lanes`}
      table={lanesTable(input, details)}
    >
      <TimeFrame
        shown={shown}
        label="Lanes over time by how far their CTIs are behind; the table has the figures"
        marks={marks}
      >
        {lines.toReversed().map(({ name, colour, path }) => (
          <path key={name} d={path} className="lane-line" style={{ stroke: colour }}>
            <title>Lane {name}</title>
          </path>
        ))}
      </TimeFrame>
      <p className="legend">
        {lanes.slice(0, COLOURED).map((lane, index) => {
          const last = lastBehind(lane);
          return (
            <span key={lane.lane} className="swatch-words">
              <span className="swatch" style={{ background: colourOf(index) }} /> {laneName(lane)}
              {last === null ? "" : `: ${formatSpan(last)}`}
              {lane.dropped > 0 ? `, ${formatCount(lane.dropped)} dropped` : ""}
            </span>
          );
        })}
        {lanes.length > COLOURED ? (
          <span className="swatch-words">
            <span className="swatch" style={{ background: colourOf(COLOURED) }} /> {lanes.length - COLOURED} more
          </span>
        ) : null}
      </p>
    </ChartPanel>
  );
}

/** For each input with lanes, how far the CTI of each lane is behind; first the lanes that lost most rows. */
export function LanesCharts({ shown, details }: Omit<InputLanesProps, "input">) {
  return details.inputs
    .filter(({ lanes }) => lanes !== null)
    .map((input) => <InputLanes key={input.name} shown={shown} details={details} input={input} />);
}
