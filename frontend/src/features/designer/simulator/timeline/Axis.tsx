import { axisMarks, type TimeScale } from "../../../../model/simulation/drawing/scale";

/** Thin lines at the ticks of the axis, over the whole height. */
export function GridLines({ scale, top, height }: { scale: TimeScale; top: number; height: number }) {
  return axisMarks(scale).map(({ at, place }) => (
    <line key={at} className="sim-grid" x1={place} x2={place} y1={top} y2={top + height} />
  ));
}

/** The axis of event time under the rows, in UTC. */
export function Axis({ scale }: { scale: TimeScale }) {
  return (
    <svg className="sim-axis" width={scale.width} height={44} aria-hidden="true">
      {axisMarks(scale).map(({ at, place, time, date }) => (
        <g key={at} transform={`translate(${place} 0)`}>
          <path d="M0 0v5" />
          {time === "" ? null : <text y={17}>{time}</text>}
          {date === null ? null : <text y={time === "" ? 17 : 30}>{date}</text>}
        </g>
      ))}
      <text className="sim-axis-name" x={scale.width} y={41} textAnchor="end">
        event time (UTC)
      </text>
    </svg>
  );
}
