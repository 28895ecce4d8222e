import { Sparkline } from "../../components/values/Sparkline";
import { ToneMark } from "../../components/values/StateMark";
import { counted, formatCount, formatRate, formatShare } from "../../lib/numbers";
import type { HomeRow } from "../../model/api";
import { CONDITION_WORDS } from "../../model/live/conditions";
import { notInTime, sharesOf } from "../../model/live/home";
import { initials } from "../../model/organisation/initials";
import { OUTCOME_WORDS } from "../../model/run/outcomes";
import { formatSpan } from "../../model/time/ticks";

/** The worst condition of a query: shape, colour and words. */
export function ConditionMark({ row }: { row: HomeRow }) {
  const { label, tone } = CONDITION_WORDS[row.condition];
  if (tone !== "urgent") return <ToneMark tone={tone} label={label} />;
  return (
    <span className="urgent">
      <ToneMark tone="bad" label={label} />
    </span>
  );
}

/** `22 s`, `unknown` without a runner, `none` without a CTI. */
export function lagWords({ lag_s, observed }: HomeRow): string {
  if (lag_s !== null) return formatSpan(lag_s * 1_000_000);
  return observed === "lost" ? "unknown" : "none";
}

export function LagLine({ row }: { row: HomeRow }) {
  const known = row.lags_s.filter((value) => value !== null);
  const most = known.length === 0 ? "no data" : `at most ${formatSpan(Math.max(...known) * 1_000_000)}`;
  return <Sparkline values={row.lags_s} label={`Lag in the last 24 hours: ${most}`} />;
}

export function rateWords({ rate }: HomeRow): string {
  return rate === null ? "?" : formatRate(rate);
}

/** The rows of the last 15 minutes that were not in time, as a bar; all outcomes in words add up to 100 %. */
export function NotInTimeBar({ row }: { row: HomeRow }) {
  const { parts, late, whole } = notInTime(row.recent);
  if (whole === 0) return <span className="quiet">no rows</span>;
  const words = sharesOf(row.recent)
    .map(({ outcome, count, tenths }) => `${OUTCOME_WORDS[outcome].label} ${tenths / 10} % (${formatCount(count)})`)
    .join(", ");
  return (
    <span className="late-share" title={words}>
      <span className="late-bar" aria-hidden="true">
        {parts.map(({ outcome, percent }) => (
          <span key={outcome} style={{ width: `${percent}%`, background: `var(--${outcome})` }} />
        ))}
      </span>
      {formatShare(late, whole)}
      <span className="visually-hidden"> not in time: {words}</span>
    </span>
  );
}

export function deliveryWords({ deliveries }: HomeRow): string {
  const { total, flowing, unknown } = deliveries;
  if (total === 0) return "–";
  return unknown === total ? "?" : `${flowing}/${total}`;
}

export function DeliveryCell({ row }: { row: HomeRow }) {
  const { total, flowing, unknown, waiting_rows } = row.deliveries;
  const waiting = waiting_rows > 0 ? `, ${counted(waiting_rows, "row")} waiting` : "";
  const title = total === 0 ? "No output is delivered" : `${flowing} of ${total} deliver, ${unknown} unknown${waiting}`;
  return (
    <span className={total > flowing ? "troubled" : undefined} title={title}>
      {deliveryWords(row)}
      <span className="visually-hidden"> ({title})</span>
    </span>
  );
}

export function AlertCell({ row }: { row: HomeRow }) {
  const { firing, pending, unknown } = row.alerts;
  const words = [
    firing > 0 ? `${firing} firing` : "",
    pending > 0 ? `${pending} pending` : "",
    unknown > 0 ? `${unknown} unknown` : "",
  ].filter((part) => part !== "");
  return words.length === 0 ? null : <span className={firing > 0 ? "troubled" : "quiet"}>{words.join(", ")}</span>;
}

/** The initials of the owner; the address on hover and for screen readers. */
export function OwnerMark({ owner }: { owner: string | null }) {
  if (owner === null) return null;
  return (
    <span className="owner" title={owner}>
      <span aria-hidden="true">{initials(owner)}</span>
      <span className="visually-hidden">{owner}</span>
    </span>
  );
}
