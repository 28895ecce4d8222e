import { useParams } from "react-router";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Second } from "../../../components/values/Instant";
import { ToneMark } from "../../../components/values/StateMark";
import { useReason, useSlug } from "../../../lib/account/session";
import { stateWords, unknownWords } from "../../../model/alerts/incidents";
import type { IncidentPageResponse, IncidentResponse } from "../../../model/api";
import { NoteButton } from "../notes/NoteButton";
import { IncidentTiles } from "./IncidentTiles";
import { IncidentTimeline } from "./IncidentTimeline";
import { LossChart } from "./LossChart";
import { ResolveButton } from "./ResolveButton";
import { incidentFile, useIncident, useIncidentChanges } from "./requests";
import { LostPanel, StepsPanel } from "./WorkPanels";
import "./incidents.css";

function TakeButton({ incident }: { incident: IncidentResponse }) {
  const reason = useReason("operate");
  const { take } = useIncidentChanges(incident.id);
  const words = incident.taken_by === null ? "Take" : "Take over";
  if (reason !== null) return <ReasonedButton reason={reason}>{words}</ReasonedButton>;
  return <ActionButton words={[words, "Taking…"]} kind={incident.taken_by === null ? "primary" : "plain"} act={take} />;
}

function Head({ page }: { page: IncidentPageResponse }) {
  const slug = useSlug();
  const { incident, now } = page;
  const { binding, resolved_at: end } = incident;
  const open = end === null;
  return (
    <PageHead
      title={`#${incident.number} ${incident.title}${binding === null ? "" : ` on ${binding.name}`}`}
      crumb={{ to: `/t/${slug}/alerts`, label: "Alerts / Incidents" }}
      beside={
        <>
          <ToneMark tone={open ? "bad" : "done"} label={stateWords(incident, now)} />
          <span className="quiet small">
            opened by {incident.opened_by ?? "a rule"} at <Second ticks={incident.opened_at} />
          </span>
          <span className="small">
            {incident.taken_by === null ? (open ? "Nobody has taken it" : "") : `${incident.taken_by} is on it`}
          </span>
        </>
      }
      actions={
        <>
          {open ? <TakeButton incident={incident} /> : null}
          <NoteButton binding={binding?.id ?? null} at={() => end ?? Date.now() * 1_000} />
          <a className="button" href={incidentFile(slug, incident.id)} download>
            Export Markdown
          </a>
          {open ? <ResolveButton incident={incident} /> : null}
        </>
      }
    />
  );
}

function Resolution({ incident }: { incident: IncidentResponse }) {
  const { resolved_at: end, resolved_by: by, resolution } = incident;
  if (end === null) return null;
  return (
    <p>
      Resolved {by === null ? "when the last of its rules resolved" : `by ${by}`} at <Second ticks={end} />
      {resolution === "" ? "." : `: ${resolution}`}
    </p>
  );
}

function Body({ page }: { page: IncidentPageResponse }) {
  const { incident, figures, timeline } = page;
  const unknown = figures === null ? null : unknownWords(figures);
  return (
    <>
      <Resolution incident={incident} />
      {unknown === null ? null : <Notice tone="unknown">{unknown}</Notice>}
      {figures === null ? null : <IncidentTiles page={page} figures={figures} />}
      <div className="incident-columns">
        <div className="incident-column">
          {figures === null ? null : <LossChart figures={figures} timeline={timeline} />}
          <IncidentTimeline page={page} />
        </div>
        {figures === null || incident.binding === null ? null : (
          <div className="incident-column">
            <StepsPanel figures={figures} binding={incident.binding.id} />
            <LostPanel figures={figures} binding={incident.binding.id} />
          </div>
        )}
      </div>
    </>
  );
}

/** An incident: what was lost, whether rows are still being lost, and what to do now. */
export function IncidentPage() {
  const { incident = "" } = useParams();
  const { data: page, error, refetch } = useIncident(incident);
  return (
    <div className="home">
      {page === undefined ? <PageHead title="Incident" /> : <Head page={page} />}
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {page !== undefined ? <Body page={page} /> : error === null ? <Waiting>Loading the incident…</Waiting> : null}
    </div>
  );
}
