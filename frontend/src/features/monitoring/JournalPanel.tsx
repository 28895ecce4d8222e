import { IsoInstant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { StateMark } from "../../components/StateMark";
import type { RunEventShown } from "../../model/api";
import { eventWords, notKeptWords } from "../../model/journal";
import type { useJournal } from "./journal";
import { More } from "./paging";

function Entry({ event }: { event: RunEventShown }) {
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

/** What happened to the run, newest first: started, moved, changed, stopped, repaired; and by whom. */
export function JournalPanel({ pages }: { pages: ReturnType<typeof useJournal> }) {
  const events = pages.data?.pages.flatMap((page) => page.events) ?? [];
  const lacks = notKeptWords(pages.data?.pages.at(-1)?.not_kept ?? null);
  return (
    <Panel title="Journal" note="What happened to this run, newest first; charts above mark it." flush>
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      {pages.isPending ? <Waiting>Loading the journal…</Waiting> : null}
      {pages.isSuccess && events.length === 0 ? (
        <Empty title="The journal is empty.">
          <p>{lacks}</p>
        </Empty>
      ) : null}
      {events.length > 0 ? (
        <Scroll label="Journal of this run" tall>
          <table>
            <thead>
              <tr>
                <th>When (UTC)</th>
                <th>What</th>
                <th>By</th>
                <th>More</th>
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
