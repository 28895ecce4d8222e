import { useSearchParams } from "react-router";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedButton } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { counted } from "../../lib/numbers";
import { useReason, useSlug } from "../../lib/session";
import { type AuditFilters, FILTERS, wantedEvents } from "../../model/audit";
import { AuditFilterForm } from "./AuditFilterForm";
import { AuditRow } from "./AuditRow";
import { NotForYou } from "./NotForYou";
import { useAudit } from "./requests";

/** The filters stand in the address of the page, so that what was found can be sent to somebody. */
function useFilters(): [AuditFilters, (change: Partial<AuditFilters>) => void] {
  const [params, setParams] = useSearchParams();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) ?? ""])) as unknown as AuditFilters;
  const change = (part: Partial<AuditFilters>) => {
    const set = Object.entries({ ...filters, ...part }).filter(([, value]) => value !== "");
    setParams(new URLSearchParams(set), { replace: true });
  };
  return [filters, change];
}

const FORMATS = [
  ["csv", "CSV"],
  ["json_lines", "JSON lines"],
] as const;

function Exports({ filters }: { filters: AuditFilters }) {
  const slug = useSlug();
  const reason = useReason("administer");
  return FORMATS.map(([format, words]) => {
    const query = new URLSearchParams({ format, ...wantedEvents(filters) });
    const label = `Export what is shown as ${words}`;
    return reason === null ? (
      <a
        key={format}
        className="button"
        href={`/api/t/${slug}/audit/export/?${query}`}
        aria-label={label}
        title="All events that the filters let through"
        download
      >
        {words}
      </a>
    ) : (
      <ReasonedButton key={format} reason={reason} aria-label={label}>
        {words}
      </ReasonedButton>
    );
  });
}

interface EventsProps {
  audit: ReturnType<typeof useAudit>;
  onFilter: (change: Partial<AuditFilters>) => void;
}

function Events({ audit, onFilter }: EventsProps) {
  const events = audit.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <>
      <Scroll label="Table of events" panel>
        <table>
          <thead>
            <tr>
              <th className="narrow">
                <span className="visually-hidden">Details</span>
              </th>
              <th>When (UTC)</th>
              <th>Who</th>
              <th>Did</th>
              <th>To what</th>
            </tr>
          </thead>
          <tbody>
            {events.map((event) => (
              <AuditRow key={event.id} event={event} onFilter={onFilter} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <p className="row">
        <span className="quiet small">
          {counted(events.length, "event")} shown{audit.hasNextPage ? "; there are older ones." : "."}
        </span>
        {audit.hasNextPage ? (
          <button
            type="button"
            className="button"
            disabled={audit.isFetchingNextPage}
            onClick={() => void audit.fetchNextPage()}
          >
            {audit.isFetchingNextPage ? "Loading older events…" : "Older events"}
          </button>
        ) : null}
      </p>
    </>
  );
}

function NoEvents({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  return (
    <div className="panel">
      {filtered ? (
        <Empty title="No event fits these filters.">
          <p>
            <button type="button" className="link" onClick={onClear}>
              Take the filters away
            </button>
          </p>
        </Empty>
      ) : (
        <Empty title="Nothing has been recorded yet.">
          <p>Whatever somebody changes in this organisation is noted here.</p>
        </Empty>
      )}
    </div>
  );
}

const NONE: AuditFilters = { action: "", actor: "", target: "", since: "", until: "" };

/** What was done in the organisation, by whom, newest first. */
export function AuditPage() {
  const reason = useReason("administer");
  const [filters, change] = useFilters();
  const audit = useAudit(filters, reason === null);
  const filtered = Object.keys(wantedEvents(filters)).length > 0;
  const empty = audit.data?.pages[0]?.events.length === 0;
  return (
    <>
      <PageHead
        title="Audit log"
        actions={
          <>
            <span className="quiet small">Export</span>
            <Exports filters={filters} />
          </>
        }
      />
      <p className="quiet">
        Everything that was changed here, and by whom. Nobody can change or delete what stands in it.
      </p>
      <NotForYou reason={reason} />
      {reason === null ? (
        <AuditFilterForm filters={filters} onChange={change} onClear={filtered ? () => change(NONE) : null} />
      ) : null}
      {reason === null && audit.isPending ? <Waiting>Loading the events…</Waiting> : null}
      <ErrorNote error={audit.error} onRetry={() => void audit.refetch()} />
      {empty ? <NoEvents filtered={filtered} onClear={() => change(NONE)} /> : null}
      {audit.data !== undefined && !empty ? <Events audit={audit} onFilter={change} /> : null}
    </>
  );
}
