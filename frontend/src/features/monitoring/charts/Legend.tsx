import type { LineSeriesOption } from "echarts";

const DASHES = { solid: undefined, dashed: "5 3", dotted: "1.5 3" } as const;

/** Names of the lines with their colour and stroke. */
export function LineLegend({ lines }: { lines: readonly LineSeriesOption[] }) {
  return (
    <ul className="legend">
      {lines.map((line) => {
        const type = line.lineStyle?.type;
        const dash = type === "dashed" || type === "dotted" ? DASHES[type] : DASHES.solid;
        return (
          <li key={String(line.id)} className="outcome">
            <svg width="22" height="8" viewBox="0 0 22 8" aria-hidden="true">
              <path d="M1 4h20" stroke={String(line.lineStyle?.color)} strokeWidth="2" strokeDasharray={dash} />
            </svg>
            {line.name}
          </li>
        );
      })}
    </ul>
  );
}
