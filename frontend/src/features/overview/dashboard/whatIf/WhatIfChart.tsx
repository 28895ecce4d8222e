import { useState } from "react";
import { Link } from "react-router";
import { ErrorNote } from "../../../../components/notices/Notices";
import { Panel } from "../../../../components/page/Panel";
import { useSlug } from "../../../../lib/account/session";
import { formatCount } from "../../../../lib/numbers";
import type { WhatIfInput, WhatIfResponse, WhatIfRows } from "../../../../model/api";
import type { PageRange } from "../../../../model/live/ranges";
import {
  type CountedDelay,
  delayWords,
  effectWords,
  heightOfShare,
  indexOf,
  laterWords,
  limitWords,
  shareAxis,
  shareWords,
  shorterWords,
  todayOf,
  whatIfTable,
} from "../../../../model/live/whatIf";
import { formatClock, type Ticks } from "../../../../model/time/ticks";
import { timeStep } from "../../../../model/time/timeSteps";
import { ChartPanel } from "../ChartPanel";
import { useWhatIf } from "../requests";
import { HEIGHT, placesIn, WIDTH } from "../TimeFrame";

const MARKS = 5;
const LABEL_WIDTH = 110;

interface CurveProps {
  rows: WhatIfRows;
  chosen: CountedDelay;
}

/** The share of rows in results by delay, in steps: nothing changes between two of them. */
function Curve({ rows, chosen }: CurveProps) {
  const axis = shareAxis(rows);
  const last = rows.delays.at(-1)?.delay ?? 0;
  const longest = Math.max(1_000, last) * 1.12;
  const { x, y } = placesIn({ begin: 0, end: longest });
  const height = (each: CountedDelay) => y(heightOfShare(each, rows, axis));
  const unit = timeStep(longest, MARKS);
  const marks = Array.from({ length: Math.floor(longest / unit) + 1 }, (_, index) => index * unit);
  const path = rows.delays.map((each, index) => {
    const until = x(rows.delays[index + 1]?.delay ?? longest);
    return `${index === 0 ? "M" : "L"}${x(each.delay)} ${height(each)}L${until} ${height(each)}`;
  });
  const isLast = x(chosen.delay) > WIDTH - LABEL_WIDTH; // the place to the right of the curve is free, except there
  return (
    <svg
      className="time-chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label="Share of rows in results by delay; the table has the figures"
    >
      {axis.marks.map(({ share, words }) => (
        <g key={share}>
          <line x1={x(0)} x2={x(longest)} y1={y(share)} y2={y(share)} className="grid" />
          <text x={x(0) - 5} y={y(share) + 4} textAnchor="end">
            {words}
          </text>
        </g>
      ))}
      {marks.map((delay) => (
        <text key={delay} x={x(delay)} y={HEIGHT - 6} textAnchor="middle">
          {delay === 0 ? "0 s" : delayWords(delay)}
        </text>
      ))}
      <line x1={x(rows.delay)} x2={x(rows.delay)} y1={y(1)} y2={y(0)} className="run-line" />
      <path d={path.join("")} className="what-if-line" />
      <circle cx={x(chosen.delay)} cy={height(chosen)} r={4} className="what-if-dot" />
      <text
        x={x(chosen.delay) + (isLast ? -7 : 7)}
        y={Math.min(y(0) - 6, height(chosen) + (isLast ? 30 : 16))}
        textAnchor={isLast ? "end" : "start"}
        className="what-if-words"
      >
        {chosen.delay === rows.delay ? "today" : delayWords(chosen.delay)}: {shareWords(chosen, rows)}
      </text>
    </svg>
  );
}

interface GoalsProps {
  rows: WhatIfRows;
  completeness: number;
  onPick: (delay: Ticks) => void;
}

/** Today's delay, and the smallest ones that reach a share of rows in results. */
function Goals({ rows, completeness, onPick }: GoalsProps) {
  const today = todayOf(rows);
  const goals = rows.goals.map(({ share, delay }) => ({
    words: `${share} %${share === completeness ? ", the objective" : ""}`,
    each: delay === null ? null : (rows.delays[indexOf(rows, delay)] ?? null),
  }));
  return (
    <table className="dense what-if-goals">
      <thead>
        <tr>
          <th>In results</th>
          <th className="num">Delay</th>
          <th className="num">Lost</th>
          <th className="num">Results come</th>
        </tr>
      </thead>
      <tbody>
        {[{ words: `today ${shareWords(today, rows)}`, each: today }, ...goals].map(({ words, each }) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            {each === null ? (
              <td colSpan={3}>no delay reaches it</td>
            ) : (
              <>
                <td className="num nowrap">
                  <button
                    type="button"
                    className="link"
                    aria-label={`Choose ${delayWords(each.delay)}`}
                    onClick={() => onPick(each.delay)}
                  >
                    {delayWords(each.delay)}
                  </button>
                </td>
                <td className="num">{formatCount(each.lost)}</td>
                <td className="num nowrap">{laterWords(each.delay, rows)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface InputWhatIfProps {
  name: string;
  binding: string;
  found: WhatIfResponse;
  input: WhatIfInput;
}

function InputWhatIf({ name, binding, found, input }: InputWhatIfProps) {
  const slug = useSlug();
  const [picked, setPicked] = useState<Ticks | null>(null);
  const of = found.inputs.length > 1 ? ` of ${input.name}` : "";
  const title = `What if the delay${of} were longer?`;
  const { rows } = input;
  if (rows === null)
    return (
      <Panel title={title} note="Late rows of other delays">
        <p className="quiet">{input.reason}</p>
      </Panel>
    );
  const index = indexOf(rows, picked);
  const chosen = rows.delays[index] ?? todayOf(rows);
  const shorter = shorterWords(rows);
  return (
    <ChartPanel
      title={title}
      note={`Rows in results by delay, counted from the late rows at ${formatClock(found.now).replace("Z", " UTC")}`}
      file={`${name}-${input.name}-what-if`}
      table={whatIfTable(rows)}
    >
      <Curve rows={rows} chosen={chosen} />
      {rows.delays.length < 2 ? null : (
        <input
          type="range"
          className="what-if-slider"
          aria-label={`Delay${of}`}
          aria-valuetext={effectWords(chosen, rows)}
          min={0}
          max={rows.delays.length - 1}
          value={index}
          onChange={(event) => setPicked(rows.delays[Number(event.target.value)]?.delay ?? null)}
        />
      )}
      <p>
        {effectWords(chosen, rows)} <Link to={`/t/${slug}/bindings/${binding}`}>Edit the delay</Link>
      </p>
      <Goals rows={rows} completeness={found.completeness} onPick={setPicked} />
      {limitWords(rows, found).map((words) => (
        <p key={words} className="quiet small">
          {words}
        </p>
      ))}
      {shorter === null ? null : <p className="quiet small">{shorter}</p>}
    </ChartPanel>
  );
}

interface WhatIfChartsProps {
  name: string;
  binding: string;
  found: WhatIfResponse;
}

/** For each input, the rows that a longer delay would keep, and the longer wait for results. */
export function WhatIfCharts({ name, binding, found }: WhatIfChartsProps) {
  return found.inputs.map((input) => (
    <InputWhatIf key={input.name} name={name} binding={binding} found={found} input={input} />
  ));
}

/** Read the late rows of the range, and show the effect of other delays. */
export function WhatIf({ name, binding, range }: { name: string; binding: string; range: PageRange }) {
  const { data, error, refetch } = useWhatIf(binding, range);
  if (error !== null) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  return data === undefined ? null : <WhatIfCharts name={name} binding={binding} found={data} />;
}
