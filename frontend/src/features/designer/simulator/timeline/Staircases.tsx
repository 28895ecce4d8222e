import { finalArea, type RowBand, staircaseLine } from "../../../../model/simulation/drawing/geometry";
import { edgeOf, type TimeScale } from "../../../../model/simulation/drawing/scale";
import type { Simulation, Staircase } from "../../../../model/simulation/types";

interface StaircasesProps {
  simulation: Simulation;
  /** The input whose lines are drawn; null for all inputs. */
  input: string | null;
  scale: TimeScale;
  rowHeight: number;
  band: RowBand;
}

export function inputsOfSimulation(simulation: Simulation): string[] {
  const read = new Set(simulation.tracks.filter((track) => track.kind === "input").map((track) => track.node));
  return simulation.order.filter((node) => read.has(node));
}

function selectStaircases({ simulation, input }: StaircasesProps): { bold: Staircase[]; thin: Staircase[] } {
  const inputs = new Set(input === null ? inputsOfSimulation(simulation) : [input]);
  const all = simulation.staircases.filter((staircase) => inputs.has(staircase.node) && staircase.steps.length > 0);
  const bold = all.filter(({ lane, substream }) => lane === null && substream === null);
  const thin = all.filter(({ lane, substream }) => lane !== null || substream !== null);
  // A single lane equals its input: its line would only cover the bold one.
  const own = (node: string) => thin.filter((each) => each.node === node).length;
  return { bold, thin: thin.filter((each) => own(each.node) > 1) };
}

const keyOf = ({ node, lane, substream }: Staircase) => `${node} ${lane} ${substream}`;

export function FinalAreas(props: StaircasesProps) {
  const { scale, rowHeight, band } = props;
  return selectStaircases(props).bold.map((staircase) => (
    <path key={keyOf(staircase)} className="sim-final" d={finalArea(staircase, scale, rowHeight, band)} />
  ));
}

/** The CTI of each input (bold) and of its lanes and substreams (thin), as rows arrive. */
export function StaircaseLines(props: StaircasesProps) {
  const { scale, rowHeight, band } = props;
  const { bold, thin } = selectStaircases(props);
  const inputs = inputsOfSimulation(props.simulation);
  return (
    <>
      {thin.map((staircase) => (
        <path key={keyOf(staircase)} className="sim-lane" d={staircaseLine(staircase, scale, rowHeight, band)}>
          <title>{`CTI of ${staircase.node}, ${staircase.substream === null ? "lane" : "substream"} ${staircase.substream ?? staircase.lane}`}</title>
        </path>
      ))}
      {bold.map((staircase) => (
        <path
          key={keyOf(staircase)}
          className="sim-cti"
          data-input={inputs.indexOf(staircase.node)}
          d={staircaseLine(staircase, scale, rowHeight, band)}
        >
          <title>{`CTI of ${staircase.node}: everything left of the line is final`}</title>
        </path>
      ))}
    </>
  );
}

/** Return the position for the name of an input's bold line: next to its last visible step, with room to its right. */
function namePlace({ simulation, input, scale, rowHeight, band }: StaircasesProps): { x: number; y: number } | null {
  const [staircase] = selectStaircases({ simulation, input, scale, rowHeight, band }).bold;
  const steps = (staircase?.steps ?? []).filter((step) => step.after > band.from && step.after < band.to - 2);
  const step = steps.at(-1);
  if (step === undefined) return null;
  const x = edgeOf(scale, step.at);
  return x < 2 || x > scale.width - 40 ? null : { x: x + 7, y: (step.after + 0.85) * rowHeight };
}

/** Labels of the line and of the area left of it, if there is room. */
export function StaircaseNames(props: StaircasesProps) {
  const { band, rowHeight, simulation } = props;
  const place = namePlace(props);
  const last = simulation.rows.length;
  if (place === null) return null;
  return (
    <>
      <text className="sim-cti-name" x={place.x} y={place.y}>
        CTI
      </text>
      {band.to < last || place.x < 300 ? null : (
        <text className="sim-note" x={8} y={(last + 0.65) * rowHeight}>
          left of the line: final; rows that arrive here are late
        </text>
      )}
    </>
  );
}
