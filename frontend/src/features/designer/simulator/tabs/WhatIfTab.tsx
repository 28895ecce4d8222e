import { type KeyboardEvent, useState } from "react";
import { Choices } from "../../../../components/actions/Choices";
import { ErrorNote, Waiting } from "../../../../components/notices/Notices";
import { Scroll } from "../../../../components/page/Scroll";
import { formatShare } from "../../../../lib/numbers";
import type { WhatIf } from "../../../../model/api";
import { forceWord, generateOf, withDelay } from "../../../../model/simulation/advanceEdits";
import { bestPoint, type DelayPoint, delayCurve } from "../../../../model/simulation/drawing/whatIfCurve";
import { counted } from "../../../../model/text/counts";
import { formatSpan } from "../../../../model/time/ticks";
import { useWhatIf } from "../requests";
import { useWidth } from "../timeline/useWidth";
import { useSimulator } from "../view";

/** Return the inputs that have a delay. */
function useDelayedInputs(): string[] {
  const { advance } = useSimulator();
  return Object.keys(advance).filter((input) => generateOf(advance[input]) !== null);
}

const share = (part: number) => formatShare(Math.round(part * 10_000), 10_000);

/** Return the label of the settings in force: those of the query and its streams, or those on trial. */
function useForceWord(input: string | null): string {
  const { asked } = useSimulator();
  return forceWord(asked.advance, input === null ? [] : [input]);
}

interface ChartProps {
  /** The label of the delay in force. */
  force: string;
  points: readonly DelayPoint[];
  width: number;
  height: number;
  /** The inspected delay. */
  chosen: DelayPoint | null;
}

const WORDS_WIDTH = 130;

/** Place a label after a line of the chart, where the curve is flat, if there is room; otherwise before it. */
function beside(x: number, width: number): { x: number; textAnchor: "start" | "end" } {
  return x > width - WORDS_WIDTH ? { x: x - 5, textAnchor: "end" } : { x: x + 5, textAnchor: "start" };
}

/** The share of rows kept whole (bold) and kept at all (thin), by delay. */
function Curve({ force, points, width, height, chosen }: ChartProps) {
  const curve = delayCurve(points, { width, height });
  const today = points.find((point) => point.today);
  const best = bestPoint(points);
  return (
    <svg className="sim-curve" width={width} height={height + 18} aria-hidden="true">
      {curve.marks.map(({ x, words }) => (
        <text key={words} x={Math.min(Math.max(x, 10), width - 14)} y={height + 14}>
          {words}
        </text>
      ))}
      <path className="sim-curve-ground" d={`M0 ${height}H${width}`} />
      <path className="sim-curve-kept" d={curve.kept} />
      <path className="sim-curve-whole" d={curve.whole} />
      {today === undefined ? null : (
        <>
          <path className="sim-curve-today" d={`M${curve.x(today.delay)} 0V${height}`} />
          <text className="sim-curve-words" {...beside(curve.x(today.delay), width)} y={height - 8}>
            {force} {formatSpan(today.delay)}: {share(today.share_whole)} whole
          </text>
        </>
      )}
      {best === null || best.today ? null : (
        <text className="sim-curve-best" {...beside(curve.x(best.delay), width)} y={curve.y(best.share_whole) + 17}>
          {formatSpan(best.delay)}: {share(best.share_whole)}
        </text>
      )}
      {chosen === null ? null : <circle cx={curve.x(chosen.delay)} cy={curve.y(chosen.share_whole)} r={4.5} />}
    </svg>
  );
}

/** A small version of the curve, next to the timeline. */
export function WhatIfCard({ onOpen }: { onOpen: () => void }) {
  const { asked } = useSimulator();
  const [box, width] = useWidth();
  const [input = null] = useDelayedInputs();
  const { data } = useWhatIf(asked, input);
  const force = useForceWord(input);
  if (input === null) return null;
  return (
    <section className="why-card" aria-label="What if">
      <h3>
        <button type="button" className="link" onClick={onOpen}>
          What if: share of rows kept whole, by delay
        </button>
      </h3>
      <div ref={box}>
        {data === undefined || width === 0 ? <p className="quiet small">Trying delays…</p> : null}
        {data === undefined || width === 0 ? null : (
          <Curve force={force} points={data.points} width={width} height={92} chosen={null} />
        )}
      </div>
    </section>
  );
}

function pointWords(point: DelayPoint): string {
  const waits =
    point.wait_median === null
      ? "no row is final"
      : `rows wait ${formatSpan(point.wait_median)} (median), at most ${formatSpan(point.wait_largest ?? 0)}`;
  return `With a delay of ${formatSpan(point.delay)}: ${share(point.share_whole)} kept whole, ${share(point.share_kept)} kept at all; ${waits}.`;
}

interface PointTableProps extends Pick<ChartProps, "force" | "points"> {
  onPick: (index: number) => void;
}

function PointTable({ force, points, onPick }: PointTableProps) {
  return (
    <Scroll label="Rows kept by delay" tall>
      <table>
        <thead>
          <tr>
            <th>Delay</th>
            <th className="num">Kept whole</th>
            <th className="num">Kept at all</th>
            <th className="num">Wait, median</th>
            <th className="num">Wait, maximum</th>
            <th className="num">Not final</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point, index) => (
            <tr key={point.delay}>
              <th scope="row">
                <button type="button" className="link" onClick={() => onPick(index)}>
                  {formatSpan(point.delay)}
                </button>
                {point.today ? ` (${force})` : ""}
              </th>
              <td className="num">{share(point.share_whole)}</td>
              <td className="num">{share(point.share_kept)}</td>
              <td className="num">{point.wait_median === null ? "–" : formatSpan(point.wait_median)}</td>
              <td className="num">{point.wait_largest === null ? "–" : formatSpan(point.wait_largest)}</td>
              <td className="num">{point.not_passed}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Delays({ found }: { found: WhatIf }) {
  const { tryAdvance, advance } = useSimulator();
  const [box, width] = useWidth();
  const { points, input } = found;
  const force = useForceWord(input);
  const today = points.findIndex((point) => point.today);
  const [picked, setPicked] = useState<number | null>(null);
  const index = Math.min(picked ?? today, points.length - 1);
  const point = points[index] ?? null;
  return (
    <>
      <div ref={box}>{width === 0 ? null : <Curve {...{ force, points, width }} height={220} chosen={point} />}</div>
      <input
        type="range"
        aria-label="Delay"
        aria-valuetext={point === null ? "" : pointWords(point)}
        min={0}
        max={points.length - 1}
        value={index}
        onChange={(event) => setPicked(Number(event.target.value))}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Escape") setPicked(null);
        }}
      />
      {point === null ? null : (
        <p className="row">
          <span>{pointWords(point)}</span>
          {point.today ? null : (
            <button
              type="button"
              className="button"
              data-kind="primary"
              onClick={() => tryAdvance(input, withDelay(advance[input], point.delay))}
            >
              Try {formatSpan(point.delay)}
            </button>
          )}
        </p>
      )}
      <PointTable force={force} points={points} onPick={setPicked} />
      {found.thinned ? (
        <p className="quiet small">
          More delays would change the results than the {counted(points.length, "delay")} shown.
        </p>
      ) : null}
      <p className="quiet small">{found.measured}</p>
    </>
  );
}

/** The rows that another delay would keep, and how long results would wait. */
export function WhatIfTab() {
  const { asked } = useSimulator();
  const inputs = useDelayedInputs();
  const [chosen, setChosen] = useState<string | null>(null);
  const input = inputs.find((each) => each === chosen) ?? inputs[0] ?? null;
  const found = useWhatIf(asked, input);
  if (input === null)
    return (
      <p className="quiet">No input generates CTIs, so there is no delay to change. Turn on generated CTIs above.</p>
    );
  return (
    <div className="stack">
      {inputs.length < 2 ? null : (
        <Choices
          label="Input"
          options={inputs.map((each) => [each, each] as const)}
          value={input}
          onChange={setChosen}
        />
      )}
      {found.isPending ? <Waiting>Simulating the sample with other delays…</Waiting> : null}
      <ErrorNote error={found.error} />
      {found.data === undefined ? null : <Delays found={found.data} />}
    </div>
  );
}
