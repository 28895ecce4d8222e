import { ActionButton } from "../../components/actions/ActionButton";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Panel } from "../../components/page/Panel";
import { Scroll } from "../../components/page/Scroll";
import { IsoInstant } from "../../components/values/Instant";
import { useReason } from "../../lib/account/session";
import { counted } from "../../lib/numbers";
import { useAlerts } from "../../lib/resources/alerts";
import type { AlertList, SilenceResponse } from "../../model/api";
import { AlertTable } from "./AlertTable";
import { ChannelsPanel } from "./ChannelsPanel";
import { IncidentsPanel } from "./IncidentsPanel";
import { RulesPanel } from "./RulesPanel";
import { useAlertChanges, useRefreshAlerts, useSilences } from "./requests";

function EndSilence({ silence }: { silence: SilenceResponse }) {
  const reason = useReason("operate");
  const { endSilence } = useAlertChanges();
  const refresh = useRefreshAlerts();
  const label = `End the silence of ${silence.title}`;
  if (reason !== null) {
    return (
      <ReasonedButton reason={reason} aria-label={label}>
        End now
      </ReasonedButton>
    );
  }
  return (
    <ActionButton words={["End now", "Ending…"]} label={label} act={() => endSilence(silence.id)} onDone={refresh} />
  );
}

/** The silences in force; nothing without one. */
function SilencesPanel() {
  const silences = useSilences();
  if (silences.data === undefined || silences.data.length === 0) {
    return <ErrorNote error={silences.error} onRetry={() => void silences.refetch()} />;
  }
  return (
    <Panel title="Silences" flush>
      <Scroll label="Table of silences">
        <table>
          <thead>
            <tr>
              <th>Rule</th>
              <th>Binding</th>
              <th>Until (UTC)</th>
              <th>Reason</th>
              <th>By</th>
              <th>Actions</th>
            </tr>
          </thead>
          <tbody>
            {silences.data.map((silence) => (
              <tr key={silence.id}>
                <th scope="row">{silence.title}</th>
                <td>{silence.binding?.name ?? "All bindings"}</td>
                <td>
                  <IsoInstant iso={silence.ends_at} />
                </td>
                <td className="message">{silence.reason}</td>
                <td>{silence.by}</td>
                <td>
                  <EndSilence silence={silence} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}

function countsOf({ counts }: AlertList): string {
  const firing = `${counts.firing} firing, ${counts.paging} of them urgent`;
  return `${firing}, ${counts.pending} pending, ${counts.unknown} unknown, ${counts.resolved} resolved in the last day`;
}

function NowPanel({ list }: { list: AlertList }) {
  const { alerts, undecided } = list;
  return (
    <Panel title="Now" note={countsOf(list)} flush={alerts.length > 0}>
      {alerts.length === 0 ? (
        <Empty title="No alert">
          <p>
            {list.decided_at === null
              ? "No rule has been decided yet. That takes about ten seconds after the start of the installation."
              : "Every rule that is known is OK."}
          </p>
        </Empty>
      ) : (
        <AlertTable alerts={alerts} label="Table of alerts" />
      )}
      {undecided.length === 0 ? null : (
        <p className="note">
          Rules about rows are unknown for {counted(undecided.length, "binding")}: no reports have arrived for three
          minutes. An unknown period neither fires nor resolves a rule.
        </p>
      )}
    </Panel>
  );
}

/** Alerts: what fires, who has taken it, silences, channels and rules. */
export function AlertsPage() {
  const alerts = useAlerts();
  return (
    <>
      <PageHead title="Alerts" />
      <div className="stack">
        <ErrorNote error={alerts.error} onRetry={() => void alerts.refetch()} />
        {alerts.isPending ? <Waiting>Loading the alerts…</Waiting> : null}
        {alerts.data === undefined ? null : <NowPanel list={alerts.data} />}
        <IncidentsPanel />
        <SilencesPanel />
        <ChannelsPanel />
        <RulesPanel />
      </div>
    </>
  );
}
