import type { ReactNode } from "react";
import { counted, formatCount, formatShare } from "../../../lib/numbers";
import type { IncidentFigures, IncidentPageResponse } from "../../../model/api";
import { BUDGET_WORDS } from "../../../model/live/budgets/budget";
import { formatInstant, formatSpan } from "../../../model/time/ticks";

interface TileProps {
  name: string;
  value: ReactNode;
  under: string;
  tone?: "bad" | undefined;
}

function Tile({ name, value, under, tone }: TileProps) {
  return (
    <div className="tile" data-tone={tone}>
      <dt className="name">{name}</dt>
      <dd>
        <p className="value">{value}</p>
        <p className="under">{under}</p>
      </dd>
    </div>
  );
}

interface FiguresProps {
  figures: IncidentFigures;
}

function stillLost({ lost_recently: rows }: IncidentFigures): string {
  return rows === null ? "unknown now" : `${formatCount(rows)} in the last 15 min`;
}

/** The lane with most of the dropped rows, if it has more than four of five. */
function origin({ by_lane }: IncidentFigures): [string, string] {
  const whole = by_lane.lanes.reduce((sum, { dropped }) => sum + dropped, 0);
  const [worst] = by_lane.lanes;
  if (worst === undefined) return ["not known", "no lane has dropped rows in the reports"];
  const share = formatShare(worst.dropped, whole);
  if (worst.lane === null || worst.dropped <= 0.8 * whole)
    return [counted(by_lane.lanes.length, "lane"), "no lane has most of the dropped rows"];
  return [`Lane ${worst.lane}`, `${share} of the dropped rows`];
}

function BudgetTile({ figures: { budget_state: state, budget_left: left, budget_rows: rows } }: FiguresProps) {
  return (
    <Tile
      name={BUDGET_WORDS[state as keyof typeof BUDGET_WORDS]}
      value={formatCount(Math.max(0, left))}
      under={left < 0 ? `broken by ${counted(-left, "row")}` : `left of ${counted(rows, "row")}, 30 days`}
    />
  );
}

/** The figures of the incident's span; they are those of the query's page in this range. */
export function IncidentTiles({ page, figures }: { page: IncidentPageResponse; figures: IncidentFigures }) {
  const { incident, now } = page;
  const { lost, outcomes } = figures;
  const moved = (outcomes.adjusted ?? 0) + (outcomes.shifted ?? 0);
  const [from, share] = origin(figures);
  const began = figures.loss_at ?? incident.begin;
  const end = incident.resolved_at ?? now;
  return (
    <dl className="tiles incident-tiles">
      <Tile
        name="Rows lost"
        value={formatCount(lost)}
        under={incident.resolved_at === null ? stillLost(figures) : `of ${counted(figures.received, "row")}`}
        tone={lost > 0 ? "bad" : undefined}
      />
      <Tile
        name="Adjusted or shifted"
        value={formatCount(moved)}
        under={`${formatShare(moved, figures.received)} of the rows`}
      />
      <Tile
        name={figures.loss_at === null ? "Began" : "First row lost"}
        value={formatInstant(began).slice(11, 19)}
        under={`${formatInstant(began).slice(0, 10)}, lasts ${formatSpan(end - began)}`}
      />
      {lost > 0 ? (
        <Tile name="From" value={from} under={share} />
      ) : (
        <Tile
          name="Largest lag"
          value={figures.largest_lag === null ? "no data" : formatSpan(figures.largest_lag)}
          under="now minus CTI"
        />
      )}
      <Tile name="Repaired" value={formatCount(figures.repaired)} under="lost rows, since it began" />
      <BudgetTile figures={figures} />
    </dl>
  );
}
