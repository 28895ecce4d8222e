import type { ReactNode } from "react";
import { OutcomeGlyph } from "../../../components/values/Glyph";
import { formatCount, formatRate, formatSeconds, formatShare } from "../../../lib/numbers";
import { allEnded, type HistorySample, outputCti, type RunHistory } from "../../../model/run/history";
import { DROPPED, meaningInRun, OUTCOME_WORDS, type Outcome } from "../../../model/run/outcomes";
import { peakRate, type Rates, recentRate } from "../../../model/run/rates";
import { formatSpan, type Ticks } from "../../../model/time/ticks";

const RATE_SPAN: Ticks = 10_000_000;

/** Return the span over which rates are computed; longer for bindings with less frequent batches. */
function rateSpan({ freshness = 0 }: RunHistory): Ticks {
  return RATE_SPAN + 2 * freshness;
}

interface TileProps {
  name: string;
  outcome?: Outcome;
  value: string;
  under: ReactNode;
  title: string;
}

function Tile({ name, outcome, value, under, title }: TileProps) {
  return (
    <div className="tile" title={title}>
      <dt className="name">
        {outcome === undefined ? null : <OutcomeGlyph outcome={outcome} />}
        {name}
      </dt>
      <dd>
        <p className="value">{value}</p>
        <p className="under">{under}</p>
      </dd>
    </div>
  );
}

interface RateSource {
  history: RunHistory;
  /** The rates of the chart. An ended run has no current rate, but a peak. */
  rates: Rates | null;
}

type Counted = Pick<HistorySample, "received" | "outcomes">;

/** Return `12.4 rows/s` for an active run, `up to 1,240 rows/s` for an ended one; null without a rate. */
function rateWords({ history, rates }: RateSource, unit: string, count: (counted: Counted) => number): string | null {
  if (rates !== null) {
    const peak = peakRate(rates, count);
    return peak === null ? null : `up to ${formatRate(peak)} ${unit}`;
  }
  const rate = recentRate(history.samples, rateSpan(history), count);
  return rate === null ? null : `${formatRate(rate)} ${unit}`;
}

interface CountProps extends RateSource {
  newest: HistorySample;
  outcomes: readonly Outcome[];
  name?: string;
}

function CountTile({ newest, outcomes, name, ...source }: CountProps) {
  const [first = "on_time"] = outcomes;
  const count = (counted: Counted) => outcomes.reduce((sum, outcome) => sum + counted.outcomes[outcome], 0);
  const rate = rateWords(source, "rows/s", count);
  return (
    <Tile
      name={name ?? OUTCOME_WORDS[first].label}
      outcome={first}
      value={formatCount(count(newest))}
      under={`${formatShare(count(newest), newest.received)}${rate === null ? "" : ` · ${rate}`}`}
      title={outcomes.map(meaningInRun).join(" ")}
    />
  );
}

function largestStart(sample: HistorySample): Ticks | null {
  const known = Object.values(sample.inputs).flatMap((input) => input.largestStart ?? []);
  return known.length > 0 ? Math.max(...known) : null;
}

function LagTiles({ newest, now }: { newest: HistorySample; now: Ticks }) {
  const cti = outputCti(newest);
  if (cti === null && allEnded(newest)) {
    const title = "All inputs have ended, so no result can change. Incomplete rows stay incomplete.";
    return <Tile name="Lag" value="none" under="all inputs ended" title={title} />;
  }
  const start = largestStart(newest);
  const byEvents = cti === null || start === null ? null : start - cti;
  return (
    <>
      <Tile
        name="Lag, event time"
        value={byEvents === null ? "not yet" : formatSpan(byEvents)}
        under="M − C out"
        title="The largest start minus the output CTI: the event time that is not final yet."
      />
      <Tile
        name="Lag, wall clock"
        value={cti === null ? "not yet" : formatSpan(now - cti)}
        under="now − C out"
        title="Now minus the output CTI: the age of the newest final results. Large while old data is read again."
      />
    </>
  );
}

/** The newest totals, each with its share and its rate: over about the last ten seconds, or the peak of an ended run. */
export function Tiles({ history, now, rates }: RateSource & { now: Ticks }) {
  const newest = history.samples.at(-1);
  if (newest === undefined) return null;
  const source = { history, rates };
  const sometimes = (["shifted", "late_kept"] as const).filter((outcome) => newest.outcomes[outcome] > 0);
  return (
    <dl className="tiles">
      <Tile
        name="Received"
        value={formatCount(newest.received)}
        under={rateWords(source, "rows/s", ({ received }) => received) ?? "rows"}
        title="All rows that arrived, including malformed ones. The outcomes add up to this number."
      />
      <CountTile {...source} newest={newest} outcomes={["on_time"]} />
      <CountTile {...source} newest={newest} outcomes={["reordered"]} />
      <CountTile {...source} newest={newest} outcomes={["adjusted"]} />
      {sometimes.map((outcome) => (
        <CountTile key={outcome} {...source} newest={newest} outcomes={[outcome]} />
      ))}
      <CountTile {...source} newest={newest} outcomes={DROPPED} name="Dropped" />
      <CountTile {...source} newest={newest} outcomes={["malformed"]} />
      <LagTiles newest={newest} now={now} />
      <Tile
        name="Results"
        value={formatCount(newest.results)}
        under={`last batch: ${formatSeconds(newest.batchSeconds)}`}
        title="Rows emitted by this run."
      />
    </dl>
  );
}
