import { formatInstant, formatLocal, type Ticks, ticksOf } from "../model/ticks";

/** A moment in UTC; the reader's own time on hover. Null is infinity. */
export function Instant({ ticks }: { ticks: Ticks | null }) {
  if (ticks === null) return <span title="Without end">infinity</span>;
  return (
    <time className="figures nowrap" dateTime={isoText(ticks)} title={`${formatLocal(ticks)} (your time)`}>
      {formatInstant(ticks)}
    </time>
  );
}

/** As machines read it: `2026-11-21T10:06:19.25Z`. */
function isoText(ticks: Ticks): string {
  return formatInstant(ticks).replace(" ", "T");
}

/** A moment that the API gives as ISO text, to the second. */
export function IsoInstant({ iso }: { iso: string }) {
  return <Instant ticks={Math.floor(ticksOf(iso) / 1_000_000) * 1_000_000} />;
}
