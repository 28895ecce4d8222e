import { useId, useState } from "react";
import { IsoInstant } from "../../../components/values/Instant";
import {
  type AuditFilters,
  actionWords,
  actorWords,
  type Difference,
  differences,
  lineDifference,
  targetWords,
} from "../../../messages/organisation/audit";
import type { AuditEventResponse } from "../../../model/api";

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

function Lines({ before, after }: Difference) {
  const lines = lineDifference(before, after);
  if (lines === null) return null;
  return (
    <pre className="raw diff">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key and never move
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

function Changes({ event }: { event: AuditEventResponse }) {
  const found = differences(event.before, event.after);
  if (found.length === 0) return <p className="quiet">No changes are recorded for this event.</p>;
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

function facts({
  action,
  actor,
  target,
  request_id: request,
}: AuditEventResponse): (readonly [string, string | null])[] {
  return [
    ["Action", `${actionWords(action)} (${action} in the API)`],
    ["Actor", actor.label],
    ["Impersonated by", actor.impersonator],
    ["Token", actor.token],
    ["From address", actor.address],
    ["Target", target.id === null ? targetWords(target) : `${targetWords(target)}, id ${target.id}`],
    ["Request", request],
  ];
}

interface DetailsProps {
  event: AuditEventResponse;
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
          actions of {actor.label}
        </button>
        {target.id === null ? null : (
          <button type="button" className="link" onClick={() => onFilter({ target: `${target.kind}:${target.id}` })}>
            changes to {target.label}
          </button>
        )}
        <button type="button" className="link" onClick={() => onFilter({ action: event.action })}>
          {actionWords(event.action)}
        </button>
      </p>
    </div>
  );
}

/** One event; when expanded, with its changes and its origin. */
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
        <td>{targetWords(event.target)}</td>
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
