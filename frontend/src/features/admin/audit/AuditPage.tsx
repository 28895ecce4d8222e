import { useSearchParams } from "react-router";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Scroll } from "../../../components/page/Scroll";
import { useReason, useSlug } from "../../../lib/account/session";
import { counted } from "../../../lib/numbers";
import { type AuditFilters, FILTERS, wantedEvents } from "../../../messages/organisation/audit";
import { Forbidden } from "../Forbidden";
import { useAudit } from "../requests";
import { AuditFilterForm } from "./AuditFilterForm";
import { AuditRow } from "./AuditRow";

/** Keep the filters in the page's address, so that a filtered list can be shared. */
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
    const label = `Export these events as ${words}`;
    return reason === null ? (
      <a
        key={format}
        className="button"
        href={`/api/t/${slug}/audit/export/?${query}`}
        aria-label={label}
        title="All events that match the filters"
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
              <th>Time (UTC)</th>
              <th>Person</th>
              <th>Action</th>
              <th>Target</th>
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
          {counted(events.length, "event")} shown{audit.hasNextPage ? ", older events available" : ""}
        </span>
        {audit.hasNextPage ? (
          <button
            type="button"
            className="button"
            disabled={audit.isFetchingNextPage}
            onClick={() => void audit.fetchNextPage()}
          >
            {audit.isFetchingNextPage ? "Loading older events…" : "Load older events"}
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
        <Empty title="No events match these filters">
          <p>
            <button type="button" className="link" onClick={onClear}>
              Clear filters
            </button>
          </p>
        </Empty>
      ) : (
        <Empty title="No events yet">
          <p>Changes in this organisation are recorded here.</p>
        </Empty>
      )}
    </div>
  );
}

const NONE: AuditFilters = { action: "", actor: "", target: "", since: "", until: "" };

/** The organisation's audit log, newest event first. */
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
      <p className="quiet">All changes in this organisation, and who made them. Entries can't be changed or deleted.</p>
      <Forbidden reason={reason} />
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
