import { Link } from "react-router";
import { ActionButton } from "../../components/actions/ActionButton";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { Scroll } from "../../components/page/Scroll";
import { Instant, IsoInstant } from "../../components/values/Instant";
import { ToneMark } from "../../components/values/StateMark";
import { useReason, useSlug } from "../../lib/account/session";
import { isOpen, phaseTone, phaseWords } from "../../model/alerts/alerts";
import type { AlertResponse } from "../../model/api";
import { useAlertChanges, useRefreshAlerts } from "./requests";
import { SilenceAlert } from "./SilenceAlert";

/** The person who has taken an alert, or the button that takes it. */
function Taken({ alert }: { alert: AlertResponse }) {
  const reason = useReason("operate");
  const { acknowledge } = useAlertChanges();
  const refresh = useRefreshAlerts();
  if (alert.acknowledged !== null) {
    return (
      <span>
        {alert.acknowledged.by}, <IsoInstant iso={alert.acknowledged.at} />
      </span>
    );
  }
  if (!isOpen(alert)) return null;
  const label = `Acknowledge ${alert.title}`;
  if (reason !== null) {
    return (
      <ReasonedButton reason={reason} aria-label={label}>
        Acknowledge
      </ReasonedButton>
    );
  }
  return (
    <ActionButton
      words={["Acknowledge", "Acknowledging…"]}
      label={label}
      act={() => acknowledge(alert.id)}
      onDone={refresh}
    />
  );
}

function AlertRow({ alert }: { alert: AlertResponse }) {
  const slug = useSlug();
  const { binding } = alert;
  return (
    <tr>
      <td className="nowrap">
        <ToneMark tone={phaseTone(alert)} label={phaseWords(alert)} />
      </td>
      <th scope="row">
        {binding === null ? "Organisation" : <Link to={`/t/${slug}/bindings/${binding.id}`}>{binding.name}</Link>}
        <div className="quiet small">{alert.title}</div>
      </th>
      <td className="message">
        {alert.phase === "unknown" ? "Not decided: no data for this period." : alert.sentence}
      </td>
      <td>{alert.since === null ? null : <Instant ticks={Math.floor(alert.since / 1_000_000) * 1_000_000} />}</td>
      <td>{alert.phase !== "firing" ? null : alert.notified ? "notified" : "nobody"}</td>
      <td>
        <Taken alert={alert} />
      </td>
      <td>{alert.phase === "firing" && alert.silenced_until === null ? <SilenceAlert alert={alert} /> : null}</td>
    </tr>
  );
}

/** The rules that are not ok, in the order of the server. */
export function AlertTable({ alerts, label }: { alerts: readonly AlertResponse[]; label: string }) {
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th>State</th>
            <th>Binding and rule</th>
            <th>What happens</th>
            <th>Since (UTC)</th>
            <th>Channels</th>
            <th>Taken by</th>
            <th>Silence</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
