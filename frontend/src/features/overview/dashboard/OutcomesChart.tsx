import { OutcomeMark } from "../../../components/values/Glyph";
import { formatCompact } from "../../../lib/numbers";
import type { DashboardResponse } from "../../../model/api";
import { outcomesTable, receivedIn, stackOf, wholeOf } from "../../../model/live/dashboard";
import { OUTCOMES } from "../../../model/run/outcomes";
import { formatSpan } from "../../../model/time/ticks";
import { ChartPanel } from "./ChartPanel";
import type { Compared } from "./comparison";
import { placesIn, stepLine, TimeFrame } from "./TimeFrame";

function Bars({ shown, most }: { shown: DashboardResponse; most: number }) {
  const { x, y } = placesIn(shown);
  const bars = shown.steps.flatMap((step) => stackOf(step, most).map((part) => ({ at: step.at, ...part })));
  return OUTCOMES.map((outcome) => (
    <path
      key={outcome}
      fill={`var(--${outcome})`}
      d={bars
        .filter((bar) => bar.outcome === outcome)
        .map(({ at, from, to }) => {
          const left = x(at) + 0.3;
          const right = Math.max(left + 0.6, x(at + shown.step) - 0.3);
          return `M${left} ${y(from)}V${y(to)}H${right}V${y(from)}Z`;
        })
        .join("")}
    />
  ));
}

interface OutcomesChartProps {
  shown: DashboardResponse;
  compared: Compared | null;
}

/** The rows of each step by outcome; the line is all rows of the range to compare with. */
export function OutcomesChart({ shown, compared }: OutcomesChartProps) {
  const scale = compared === null ? 1 : shown.step / compared.shown.step;
  const others = compared === null ? [] : compared.shown.steps.filter(({ knowledge }) => knowledge === "known");
  const most = Math.max(1, ...shown.steps.map(receivedIn), ...others.map((step) => receivedIn(step) * scale));
  const whole = wholeOf(shown.steps);
  const present = OUTCOMES.filter((outcome) => whole[outcome] > 0);
  const marks = [0, 0.5, 1].map((share) => ({ share, words: formatCompact(share * most) }));
  return (
    <ChartPanel
      title="Outcomes"
      note={`Rows in each ${formatSpan(shown.step)}`}
      file={`${shown.name}-outcomes`}
      table={outcomesTable(shown)}
    >
      <TimeFrame shown={shown} label="Rows over time by outcome; the table has the figures" marks={marks}>
        <Bars shown={shown} most={most} />
        {compared === null ? null : (
          <path
            d={stepLine(
              others.map((step) => ({ at: step.at + compared.offset, share: (receivedIn(step) * scale) / most })),
              compared.shown.step,
              placesIn(shown),
            )}
            className="compared-line"
          />
        )}
      </TimeFrame>
      <p className="legend">
        {present.map((outcome) => (
          <OutcomeMark key={outcome} outcome={outcome} />
        ))}
      </p>
    </ChartPanel>
  );
}
