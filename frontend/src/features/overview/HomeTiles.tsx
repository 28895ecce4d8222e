import type { ReactNode } from "react";
import { Link } from "react-router";
import { useSlug } from "../../lib/account/session";
import { counted, formatCount, formatRate, formatShare } from "../../lib/numbers";
import type { HomeResponse, HomeTiles } from "../../model/api";
import { budgetTileWords } from "../../model/live/budgets/budget";
import { alertsAreDecided, type HealthCounts, healthOf } from "../../model/live/home";
import { formatSpan } from "../../model/time/ticks";

interface TileProps {
  name: string;
  value: ReactNode;
  under: ReactNode;
  tone?: "bad" | "warn" | undefined;
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

const HEALTH_WORDS: readonly (readonly [keyof HealthCounts, string])[] = [
  ["attention", "need attention"],
  ["unknown", "unknown"],
  ["starting", "starting"],
];

function HealthBar({ health, whole }: { health: HealthCounts; whole: number }) {
  return (
    <span className="health-bar" aria-hidden="true">
      {(["healthy", "starting", "unknown", "attention"] as const).map((part) =>
        health[part] === 0 ? null : (
          <span key={part} data-part={part} style={{ width: `${(100 * health[part]) / whole}%` }} />
        ),
      )}
    </span>
  );
}

function HealthTile({ home }: { home: HomeResponse }) {
  const health = healthOf(home.tiles);
  const others = HEALTH_WORDS.filter(([part]) => health[part] > 0).map(([part, words]) => `${health[part]} ${words}`);
  return (
    <Tile
      name="Live queries"
      value={
        <>
          {home.listed} <small>{health.healthy} healthy</small>
          <HealthBar health={health} whole={home.listed} />
        </>
      }
      under={others.length > 0 ? others.join(", ") : "nothing else"}
      tone={health.attention + health.unknown > 0 ? "bad" : undefined}
    />
  );
}

function deliveryWords({ deliveries }: HomeTiles): string {
  const parts = [
    deliveries.unknown > 0 ? `${deliveries.unknown} unknown` : "",
    deliveries.waiting_rows > 0 ? `${counted(deliveries.waiting_rows, "row")} waiting` : "",
  ].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(", ") : "no row waiting";
}

function AlertsTile({ home }: { home: HomeResponse }) {
  const slug = useSlug();
  const { firing, pending, unknown } = home.tiles.alerts;
  const decided = alertsAreDecided(home);
  const under = [`${pending} pending`, ...(unknown > 0 ? [`${unknown} unknown`] : [])].join(", ");
  return (
    <Tile
      name="Alerts"
      value={
        <Link to={`/t/${slug}/alerts`}>
          {firing} <small>firing</small>
        </Link>
      }
      under={decided ? under : "not decided now"}
      tone={firing > 0 ? "bad" : decided ? undefined : "warn"}
    />
  );
}

function BudgetTile({ home }: { home: HomeResponse }) {
  const { count, what, under, tone } = budgetTileWords(home);
  return (
    <Tile
      name="Loss budget"
      value={
        <>
          {formatCount(count)} <small>{what}</small>
        </>
      }
      under={under}
      tone={tone}
    />
  );
}

function seconds(value: number | null): string {
  return value === null ? "unknown" : formatSpan(value * 1_000_000);
}

/** The sums of all listed queries. */
export function Tiles({ home }: { home: HomeResponse }) {
  const { tiles } = home;
  const { deliveries } = tiles;
  const stopped = deliveries.total - deliveries.flowing;
  const missing = tiles.unknown_rates > 0 ? `${counted(tiles.unknown_rates, "query", "queries")} unknown` : null;
  return (
    <dl className="tiles home-tiles">
      <HealthTile home={home} />
      <Tile
        name="Rows a second"
        value={formatRate(tiles.rate)}
        under={missing ?? `15 min; ${formatCount(tiles.received_of_day)} in 24 h`}
      />
      <Tile
        name="Not in results, 24 h"
        value={formatShare(tiles.lost_of_day, tiles.received_of_day)}
        under={counted(tiles.lost_of_day, "row")}
        tone={tiles.lost_of_day > 0 ? "bad" : undefined}
      />
      <Tile
        name="Worst lag"
        value={seconds(tiles.worst_lag_s)}
        under={
          tiles.worst_lag_name === null
            ? `${tiles.unknown_lags} unknown`
            : `${tiles.worst_lag_name}; median ${seconds(tiles.median_lag_s)}`
        }
      />
      <BudgetTile home={home} />
      <Tile
        name="Deliveries"
        value={
          deliveries.total === 0 ? (
            "none"
          ) : (
            <>
              {deliveries.flowing} <small>of {deliveries.total} deliver</small>
            </>
          )
        }
        under={deliveries.total === 0 ? "no output is delivered" : deliveryWords(tiles)}
        tone={stopped > 0 ? "warn" : undefined}
      />
      <AlertsTile home={home} />
    </dl>
  );
}
