import { formatInstant, formatLocal, type Ticks, ticksOf } from "../../model/time/ticks";

/** A time in UTC; the reader's local time on hover. Null is infinity. */
export function Instant({ ticks }: { ticks: Ticks | null }) {
  if (ticks === null) return <span title="Never ends">infinity</span>;
  return (
    <time className="figures nowrap" dateTime={isoText(ticks)} title={`${formatLocal(ticks)} (your time)`}>
      {formatInstant(ticks)}
    </time>
  );
}

/** Format as ISO 8601: `2026-11-21T10:06:19.25Z`. */
function isoText(ticks: Ticks): string {
  return formatInstant(ticks).replace(" ", "T");
}

/** A time of the wall clock, to the second. */
export function Second({ ticks }: { ticks: Ticks }) {
  return <Instant ticks={Math.floor(ticks / 1_000_000) * 1_000_000} />;
}

/** A time that the API sends as ISO text, to the second. */
export function IsoInstant({ iso }: { iso: string }) {
  return <Second ticks={ticksOf(iso)} />;
}
