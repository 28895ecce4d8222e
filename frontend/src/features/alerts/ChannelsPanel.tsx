import { ActionButton } from "../../components/actions/ActionButton";
import { ConfirmedAction } from "../../components/actions/ConfirmedAction";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { Scroll } from "../../components/page/Scroll";
import { ToneMark } from "../../components/values/StateMark";
import { useReason } from "../../lib/account/session";
import type { ChannelMessageResponse, ChannelResponse } from "../../model/api";
import type { Tone } from "../../model/run/states";
import { NewChannel } from "./NewChannel";
import { useAlertChanges, useChannelMessages, useChannels, useRefreshAlerts } from "./requests";

const STATES: Record<ChannelMessageResponse["state"], readonly [Tone, string]> = {
  waiting: ["busy", "Being sent"],
  sent: ["done", "Sent"],
  failed: ["bad", "Could not be sent"],
};

/** The newest message of a channel, with the reason if it has not been sent. */
function LastMessage({ channel }: { channel: ChannelResponse }) {
  const [last] = useChannelMessages(channel.id).data ?? [];
  if (last === undefined) return <span className="quiet">No message yet</span>;
  const [tone, label] = STATES[last.state];
  return (
    <>
      <ToneMark tone={last.message === "" ? tone : "bad"} label={last.message === "" ? label : "Not sent"} />
      <div className="quiet small">{last.message === "" ? last.headline : last.message}</div>
    </>
  );
}

function ChannelActions({ channel }: { channel: ChannelResponse }) {
  const reason = useReason("edit");
  const { testChannel, deleteChannel } = useAlertChanges();
  const refresh = useRefreshAlerts();
  const label = `Send a test to ${channel.name}`;
  return (
    <div className="row">
      {reason === null ? (
        <ActionButton
          words={["Send a test", "Sending…"]}
          label={label}
          act={() => testChannel(channel.id)}
          onDone={refresh}
        />
      ) : (
        <ReasonedButton reason={reason} aria-label={label}>
          Send a test
        </ReasonedButton>
      )}
      <ConfirmedAction
        reason={reason}
        opener="Delete…"
        label={`Delete ${channel.name}`}
        title={`Delete the channel ${channel.name}`}
        words={["Delete channel", "Deleting…"]}
        keep="Keep it"
        act={() => deleteChannel(channel.id)}
        onDone={refresh}
      >
        <p>It receives no further notifications, and those that have not been sent yet are discarded.</p>
      </ConfirmedAction>
    </div>
  );
}

function ChannelTable({ channels }: { channels: readonly ChannelResponse[] }) {
  return (
    <Scroll label="Table of channels">
      <table>
        <thead>
          <tr>
            <th>Channel</th>
            <th>Receives</th>
            <th>Last message</th>
            <th>Actions</th>
          </tr>
        </thead>
        <tbody>
          {channels.map((channel) => (
            <tr key={channel.id}>
              <th scope="row">
                {channel.name}
                <div className="quiet small">{channel.title}</div>
              </th>
              <td className="nowrap">{channel.level === "page" ? "Pages only" : "Warnings and pages"}</td>
              <td className="message">
                <LastMessage channel={channel} />
              </td>
              <td>
                <ChannelActions channel={channel} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The channels, each with its newest message and a test. */
export function ChannelsPanel() {
  const channels = useChannels();
  const isEmpty = channels.data?.length === 0;
  return (
    <Panel title="Channels" actions={<NewChannel />} flush={!isEmpty}>
      <ErrorNote error={channels.error} onRetry={() => void channels.refetch()} />
      {channels.isPending ? <Waiting>Loading the channels…</Waiting> : null}
      {isEmpty ? (
        <Empty title="No channel: nobody is notified">
          <p>Alerts appear on this page. Create a channel to notify people or programs of them.</p>
        </Empty>
      ) : null}
      {channels.data === undefined || isEmpty ? null : <ChannelTable channels={channels.data} />}
    </Panel>
  );
}
