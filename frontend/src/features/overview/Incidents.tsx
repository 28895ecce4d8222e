import { Link } from "react-router";
import { ToneMark } from "../../components/values/StateMark";
import { useSlug } from "../../lib/account/session";
import { counted } from "../../lib/numbers";
import type { HomeIncident, HomeResponse } from "../../model/api";
import { formatSpan } from "../../model/time/ticks";

/** So many are in the strip; the alerts page has all. */
const MOST = 3;

function Incident({ incident, now }: { incident: HomeIncident; now: number }) {
  const slug = useSlug();
  const { title, name, since, firing, taken_by } = incident;
  return (
    <li>
      <Link to={incident.incident === null ? `/t/${slug}/alerts` : `/t/${slug}/incidents/${incident.incident}`}>
        {title}: {name}
      </Link>{" "}
      <span className="quiet">
        {since === null ? "" : `for ${formatSpan(now - since)} · `}
        {firing > 1 ? `${counted(firing, "rule")} · ` : ""}
      </span>
      {taken_by === null ? <strong>nobody has taken it</strong> : <span className="quiet">{taken_by} is on it</span>}
    </li>
  );
}

/** The strip of firing alerts; nothing without one. */
export function Incidents({ home }: { home: HomeResponse }) {
  const { incidents, now } = home;
  const slug = useSlug();
  if (incidents.length === 0) return null;
  const paging = incidents.some((incident) => incident.paging);
  return (
    <section className="incidents" data-tone={paging ? "bad" : "warn"} aria-label="Firing alerts">
      <ToneMark tone={paging ? "bad" : "unknown"} label={counted(home.tiles.alerts.firing, "firing alert")} />
      <ul>
        {incidents.slice(0, MOST).map((incident) => (
          <Incident key={incident.binding ?? ""} incident={incident} now={now} />
        ))}
        {incidents.length > MOST ? (
          <li>
            <Link to={`/t/${slug}/alerts`}>{incidents.length - MOST} more</Link>
          </li>
        ) : null}
      </ul>
    </section>
  );
}
