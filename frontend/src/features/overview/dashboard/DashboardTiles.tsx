import type { ReactNode } from "react";
import { OutcomeGlyph } from "../../../components/values/Glyph";
import { counted, formatCount, formatRest, formatShare } from "../../../lib/numbers";
import type { DashboardResponse } from "../../../model/api";
import { lostOf, wholeOf } from "../../../model/live/dashboard";
import { formatSpan } from "../../../model/time/ticks";

interface TileProps {
  name: ReactNode;
  value: string;
  under: string;
}

function Tile({ name, value, under }: TileProps) {
  return (
    <div className="tile">
      <dt className="name">{name}</dt>
      <dd>
        <p className="value">{value}</p>
        <p className="under">{under}</p>
      </dd>
    </div>
  );
}

function newestLag({ steps, observed }: DashboardResponse): string {
  if (observed === "lost") return "unknown";
  const lag = steps.findLast((step) => step.lag !== null)?.lag ?? null;
  return lag === null ? "no data" : formatSpan(lag);
}

function worstLag({ steps }: DashboardResponse): string {
  const known = steps.flatMap(({ lag }) => lag ?? []);
  return known.length === 0 ? "no data in this range" : `at most ${formatSpan(Math.max(...known))}`;
}

/** The figures of the whole range; the outcomes add up to the received rows. */
export function DashboardTiles({ shown }: { shown: DashboardResponse }) {
  const whole = wholeOf(shown.steps);
  const received = Object.values(whole).reduce((sum, count) => sum + count, 0);
  const lost = lostOf(whole);
  const moved = whole.adjusted + whole.shifted;
  const delivering = shown.deliveries.filter(({ state }) => state === "current" || state === "behind").length;
  const waiting = shown.deliveries.reduce((sum, { waiting_rows }) => sum + waiting_rows, 0);
  const repaired = shown.repaired_rows > 0 ? `; ${counted(shown.repaired_rows, "row")} repaired` : "";
  return (
    <dl className="tiles dashboard-tiles">
      <Tile name="Received" value={formatCount(received)} under="rows in this range" />
      <Tile
        name="In results"
        value={formatRest(lost, received)}
        under={`${formatCount(received - lost)} of the rows`}
      />
      <Tile
        name={
          <>
            <OutcomeGlyph outcome="dropped_late" /> Dropped or malformed
          </>
        }
        value={formatCount(lost)}
        under={`${formatShare(lost, received)}${repaired}`}
      />
      <Tile
        name={
          <>
            <OutcomeGlyph outcome="adjusted" /> Adjusted or shifted
          </>
        }
        value={formatCount(moved)}
        under={formatShare(moved, received)}
      />
      <Tile name="Lag, now minus CTI" value={newestLag(shown)} under={worstLag(shown)} />
      <Tile
        name="Deliveries"
        value={shown.deliveries.length === 0 ? "none" : `${delivering} of ${shown.deliveries.length}`}
        under={waiting > 0 ? `${counted(waiting, "row")} waiting` : "no row waiting"}
      />
    </dl>
  );
}
