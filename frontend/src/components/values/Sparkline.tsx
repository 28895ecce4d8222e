import { sparkOf } from "../../model/live/sparkline";

interface SparklineProps {
  /** Null: unknown, drawn as a gap. */
  values: readonly (number | null)[];
  /** The line in words, for screen readers. */
  label: string;
  width?: number;
  height?: number;
}

/** A small line without axes; its words say the figures that matter. */
export function Sparkline({ values, label, width = 64, height = 16 }: SparklineProps) {
  const { path, end } = sparkOf(values, { width, height });
  return (
    <svg className="sparkline" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img">
      <title>{label}</title>
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.2" strokeLinejoin="round" strokeLinecap="round" />
      {end === null ? null : <circle cx={end.x} cy={end.y} r="1.8" fill="currentColor" />}
    </svg>
  );
}
