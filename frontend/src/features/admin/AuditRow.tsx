import { useId, useState } from "react";
import { IsoInstant } from "../../components/Instant";
import type { AuditEventShown } from "../../model/api";
import {
  type AuditFilters,
  actionWords,
  actorWords,
  type Difference,
  differences,
  lineDifference,
} from "../../model/audit";

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

function Lines({ before, after }: Difference) {
  const lines = lineDifference(before, after);
  if (lines === null) return null;
  return (
    <pre className="raw diff">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name but their place, which never changes
        <span key={index} data-kind={line.kind}>
          {SIGNS[line.kind]} {line.text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

function Value({ value, kind }: { value: string | undefined; kind: "removed" | "added" }) {
  if (value === undefined) return <span className="quiet">nothing</span>;
  return (
    <span className="raw diff">
      <span data-kind={kind}>{value === "" ? "(empty)" : value}</span>
    </span>
  );
}

function Changes({ event }: { event: AuditEventShown }) {
  const found = differences(event.before, event.after);
  if (found.length === 0) return <p className="quiet">The event keeps no state.</p>;
  return (
    <table className="changes">
      <thead>
        <tr>
          <th>Changed</th>
          <th>Before</th>
          <th>After</th>
        </tr>
      </thead>
      <tbody>
        {found.map((each) => {
          const byLine = lineDifference(each.before, each.after) !== null;
          return (
            <tr key={each.path}>
              <th scope="row">
                <code>{each.path}</code>
              </th>
              {byLine ? (
                <td colSpan={2}>
                  <Lines {...each} />
                </td>
              ) : (
                <>
                  <td>
                    <Value value={each.before} kind="removed" />
                  </td>
                  <td>
                    <Value value={each.after} kind="added" />
                  </td>
                </>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function facts({ action, actor, target, request_id: request }: AuditEventShown): (readonly [string, string | null])[] {
  return [
    ["Action", action],
    ["Acted", actor.label],
    ["Sat behind the session", actor.impersonator],
    ["Token", actor.token],
    ["From address", actor.address],
    ["Target", target.id === null ? target.kind : `${target.kind} ${target.id}`],
    ["Request", request],
  ];
}

interface DetailsProps {
  event: AuditEventShown;
  onFilter: (change: Partial<AuditFilters>) => void;
}

function Details({ event, onFilter }: DetailsProps) {
  const { actor, target } = event;
  return (
    <div className="stack details">
      <Changes event={event} />
      <dl className="facts">
        {facts(event).map(([name, value]) =>
          value === null ? null : (
            <div key={name} className="fact-pair">
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ),
        )}
      </dl>
      <p className="row small">
        <span className="quiet">Show only</span>
        <button type="button" className="link" onClick={() => onFilter({ actor: actor.label })}>
          what {actor.label} did
        </button>
        {target.id === null ? null : (
          <button type="button" className="link" onClick={() => onFilter({ target: `${target.kind}:${target.id}` })}>
            what was done to {target.label}
          </button>
        )}
        <button type="button" className="link" onClick={() => onFilter({ action: event.action })}>
          {event.action}
        </button>
      </p>
    </div>
  );
}

/** One event; opened, with what it changed and where it came from. */
export function AuditRow({ event, onFilter }: DetailsProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const words = actionWords(event.action);
  return (
    <>
      <tr>
        <td>
          <button
            type="button"
            className="opener"
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            aria-label={`Details of: ${actorWords(event)} ${words} ${event.target.label}`}
            onClick={() => setOpen(!open)}
          >
            <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
              <path d="M4 2l4 4-4 4" fill="none" stroke="currentColor" strokeWidth="1.6" />
            </svg>
          </button>
        </td>
        <td>
          <IsoInstant iso={event.at} />
        </td>
        <td>{actorWords(event)}</td>
        <td>{words}</td>
        <td>{event.target.label}</td>
      </tr>
      {open ? (
        <tr id={id} className="opened">
          <td colSpan={5}>
            <Details event={event} onFilter={onFilter} />
          </td>
        </tr>
      ) : null}
    </>
  );
}
