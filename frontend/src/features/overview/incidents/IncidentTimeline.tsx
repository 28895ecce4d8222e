import { useState } from "react";
import { Link } from "react-router";
import { Choices } from "../../../components/actions/Choices";
import { Panel } from "../../../components/page/Panel";
import { useSlug } from "../../../lib/account/session";
import { distanceWords, ENTRY_FILTERS, type EntryFilter, filtered } from "../../../model/alerts/incidents";
import type { IncidentPageResponse, TimelineEntry } from "../../../model/api";
import { formatInstant, formatLocal, type Ticks } from "../../../model/time/ticks";

/** A time of day; its date too if that is not today's. */
function Time({ at, now }: { at: Ticks; now: Ticks }) {
  const [date, clock] = [formatInstant(at).slice(0, 10), formatInstant(at).slice(11, 19)];
  const today = date === formatInstant(now).slice(0, 10);
  return <span title={`${formatLocal(at)} (your time)`}>{today ? clock : `${date} ${clock}`}</span>;
}

function Entry({ entry, now }: { entry: TimelineEntry; now: Ticks }) {
  const slug = useSlug();
  const { mark, kind, run } = entry;
  const distance = distanceWords(entry);
  return (
    <li id={mark === "" ? undefined : `entry-${mark}`} data-kind={kind} tabIndex={-1}>
      <span className="letter" data-kind={kind}>
        {mark === "" ? "×" : mark}
      </span>
      <span className="figures">
        <Time at={entry.at} now={now} />
        {entry.end === null ? null : (
          <>
            {" "}
            to <Time at={entry.end} now={now} />
          </>
        )}
      </span>
      <span className="quiet who">{entry.who ?? "Punctual"}</span>
      <span className="event">
        {entry.text}
        {run === null ? null : (
          <>
            {" "}
            <Link to={`/t/${slug}/runs/${run}`}>Open the run</Link>
          </>
        )}
      </span>
      <span className="remark">
        {distance === "" ? null : <strong>{distance}</strong>}
        {distance !== "" && entry.remark !== "" ? ", " : ""}
        {entry.remark}
      </span>
    </li>
  );
}

/** Everything that happened, oldest first, with the letters of the chart. */
export function IncidentTimeline({ page }: { page: IncidentPageResponse }) {
  const [filter, setFilter] = useState<EntryFilter>("all");
  const shown = filtered(page.timeline, filter);
  return (
    <Panel
      title="Timeline"
      note="Times are UTC. Entries that precede the loss by less than five minutes have their distance; they need not be its cause."
      actions={<Choices label="Entries of the timeline" options={ENTRY_FILTERS} value={filter} onChange={setFilter} />}
      flush
    >
      {page.left_out ? <p className="more quiet">Earlier entries are left out.</p> : null}
      {shown.length === 0 ? <p className="more quiet">No entry of this kind.</p> : null}
      <ol className="incident-timeline" aria-label="Timeline">
        {shown.map((entry) => (
          <Entry key={`${entry.mark} ${entry.kind}`} entry={entry} now={page.now} />
        ))}
      </ol>
    </Panel>
  );
}
