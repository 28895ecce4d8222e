import type { ReactNode } from "react";
import { OutcomeGlyph } from "../../components/Glyph";
import { formatCount, formatRate, formatShare } from "../../lib/numbers";
import { allEnded, type HistorySample, outputCti, type RunHistory } from "../../model/history";
import { DROPPED, meaningInRun, OUTCOME_WORDS, type Outcome } from "../../model/outcomes";
import { recentRate } from "../../model/rates";
import { formatSpan, type Ticks } from "../../model/ticks";

const RATE_SPAN: Ticks = 10_000_000;

/** Over so long rates are told: batches of who asked for less fresh results are further apart. */
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

interface CountProps {
  history: RunHistory;
  newest: HistorySample;
  outcomes: readonly Outcome[];
  name?: string;
}

function CountTile({ history, newest, outcomes, name }: CountProps) {
  const [first = "on_time"] = outcomes;
  const count = (sample: HistorySample) => outcomes.reduce((sum, outcome) => sum + sample.outcomes[outcome], 0);
  const rate = recentRate(history.samples, rateSpan(history), count);
  return (
    <Tile
      name={name ?? OUTCOME_WORDS[first].label}
      outcome={first}
      value={formatCount(count(newest))}
      under={`${formatShare(count(newest), newest.received)}${rate === null ? "" : ` · ${formatRate(rate)}/s`}`}
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
    return <Tile name="Lag" value="none" under="all is final" title="All inputs have ended: everything is final." />;
  }
  const start = largestStart(newest);
  const byEvents = cti === null || start === null ? null : start - cti;
  return (
    <>
      <Tile
        name="Lag, event time"
        value={byEvents === null ? "not yet" : formatSpan(byEvents)}
        under="M − C out"
        title="The largest start minus the output CTI: how much event time is not yet final."
      />
      <Tile
        name="Lag, wall clock"
        value={cti === null ? "not yet" : formatSpan(now - cti)}
        under="now − C out"
        title="Now minus the output CTI: how far final results are behind now. Large when old data is read again."
      />
    </>
  );
}

/** The newest totals, each with its share and its rate over the last ten seconds or so. */
export function Tiles({ history, now }: { history: RunHistory; now: Ticks }) {
  const newest = history.samples.at(-1);
  if (newest === undefined) return null;
  const rate = recentRate(history.samples, rateSpan(history), (sample) => sample.received);
  const sometimes = (["shifted", "late_kept"] as const).filter((outcome) => newest.outcomes[outcome] > 0);
  return (
    <dl className="tiles">
      <Tile
        name="Received"
        value={formatCount(newest.received)}
        under={rate === null ? "rows" : `${formatRate(rate)} rows/s`}
        title="Every row that arrived, malformed ones too. The outcomes add up to it."
      />
      <CountTile history={history} newest={newest} outcomes={["on_time"]} />
      <CountTile history={history} newest={newest} outcomes={["reordered"]} />
      <CountTile history={history} newest={newest} outcomes={["adjusted"]} />
      {sometimes.map((outcome) => (
        <CountTile key={outcome} history={history} newest={newest} outcomes={[outcome]} />
      ))}
      <CountTile history={history} newest={newest} outcomes={DROPPED} name="Dropped" />
      <CountTile history={history} newest={newest} outcomes={["malformed"]} />
      <LagTiles newest={newest} now={now} />
      <Tile
        name="Results"
        value={formatCount(newest.results)}
        under={`last batch: ${Number(newest.batchSeconds.toPrecision(2))} s`}
        title="Rows given out by this run."
      />
    </dl>
  );
}
