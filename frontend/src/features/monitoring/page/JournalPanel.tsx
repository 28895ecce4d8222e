import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { StateMark } from "../../../components/values/StateMark";
import { eventWords, notKeptWords } from "../../../messages/run/journal";
import type { RunEventResponse } from "../../../model/api";
import { More } from "../paging";
import type { useJournal } from "./journal";

function Entry({ event }: { event: RunEventResponse }) {
  return (
    <tr>
      <td>
        <IsoInstant iso={event.at} />
      </td>
      <td className="nowrap">
        {event.observed === null ? eventWords(event) : <StateMark observed={event.observed} since={event.at} />}
      </td>
      <td>{event.who === null ? <span className="quiet">the system</span> : <bdi>{event.who}</bdi>}</td>
      <td>{event.message}</td>
    </tr>
  );
}

/** The run's events with their authors, newest first: starts, moves, changes, stops and repairs. */
export function JournalPanel({ pages }: { pages: ReturnType<typeof useJournal> }) {
  const events = pages.data?.pages.flatMap((page) => page.events) ?? [];
  const lacks = notKeptWords(pages.data?.pages.at(-1)?.not_kept ?? null);
  return (
    <Panel title="Journal" note="Events of this run, newest first; also marked in the charts above" flush>
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      {pages.isPending ? <Waiting>Loading the journal…</Waiting> : null}
      {pages.isSuccess && events.length === 0 ? (
        <Empty title="No events yet">
          <p>{lacks}</p>
        </Empty>
      ) : null}
      {events.length > 0 ? (
        <Scroll label="Journal of this run" tall>
          <table>
            <thead>
              <tr>
                <th>Time (UTC)</th>
                <th>Event</th>
                <th>By</th>
                <th>Details</th>
              </tr>
            </thead>
            <tbody>
              {events.map((event) => (
                <Entry key={event.number} event={event} />
              ))}
            </tbody>
          </table>
        </Scroll>
      ) : null}
      <More pages={pages} what="older entries" />
      {events.length > 0 && lacks !== null && !pages.hasNextPage ? <p className="note">{lacks}</p> : null}
    </Panel>
  );
}
