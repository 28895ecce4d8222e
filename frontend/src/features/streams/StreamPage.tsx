import { useState } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton, ReasonedLink } from "../../components/actions/Reasoned";
import { UseList, UsesPanel, useUses } from "../../components/dependencies/Uses";
import { FaultList } from "../../components/notices/FaultList";
import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Panel } from "../../components/page/Panel";
import { Scroll } from "../../components/page/Scroll";
import { useReason, useSlug } from "../../lib/account/session";
import { counted } from "../../lib/numbers";
import { useInputKinds } from "../../lib/resources/adapterKinds";
import { advanceWords } from "../../messages/definition/advance";
import type { Fault, StreamDefinition, StreamResponse } from "../../model/api";
import { titledOptions } from "../../model/forms/schemaForm";
import { writtenWords } from "../../model/time/timeUnits";
import { CountButton } from "./CountButton";
import { PushPanel } from "./PushPanel";
import { useDeleteStream, useStream } from "./requests";
import { SamplePanel } from "./SamplePanel";

const SHAPE_WORDS = {
  point: "Points: each event happens at one moment.",
  interval: "Intervals: each event has a start and an end.",
  edge: "Edges: starts and ends of lifetimes are separate rows.",
  table: "Table: each row is a version of its key, until the next one.",
} as const;

function Schema({ definition }: { definition: StreamDefinition }) {
  return (
    <Panel title="Fields" flush>
      <Scroll label="Table of fields">
        <table>
          <thead>
            <tr>
              <th>Field</th>
              <th>Type</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(definition.fields).map(([name, type]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <code>{type}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}

function timeWords(definition: StreamDefinition): string[] {
  const time = definition.event_time;
  if (!time) return ["The adapter sets the time of each event."];
  const column = (at: typeof time.start) =>
    `${at.column}${at.time_column ? ` and ${at.time_column}` : ""} (${writtenWords(at)})`;
  return [
    `Start: ${column(time.start)}`,
    ...(time.end ? [`End: ${column(time.end)}`] : []),
    ...(time.edge ? [`Edge column: ${time.edge}`] : []),
  ];
}

function optionWords(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Options({ options }: { options: ReturnType<typeof titledOptions> }) {
  return options.map(({ name, title, value }) => (
    <div key={name} className="fact-pair">
      <dt>{title}</dt>
      <dd>
        <code>{optionWords(value)}</code>
      </dd>
    </div>
  ));
}

function Settings({ stream }: { stream: StreamResponse }) {
  const { definition, adapter } = stream;
  const kind = useInputKinds().data?.find((each) => each.kind === adapter.kind);
  const options = titledOptions(adapter.options, kind?.options_schema ?? {});
  const usual = options.filter((each) => each.usual);
  return (
    <Panel title="Time and adapter">
      <dl className="facts">
        <dt>Shape</dt>
        <dd>{SHAPE_WORDS[definition.shape ?? "point"]}</dd>
        <dt>Event time</dt>
        <dd>
          {timeWords(definition).map((line) => (
            <p key={line}>{line}</p>
          ))}
        </dd>
        <dt>Advance time</dt>
        <dd>
          {advanceWords(definition.advance).map((line) => (
            <p key={line}>{line}</p>
          ))}
        </dd>
        <dt>Adapter</dt>
        <dd>{kind?.title ?? adapter.kind}</dd>
        <Options options={options.filter((each) => !each.usual)} />
        {definition.lanes ? (
          <>
            <dt>Lanes</dt>
            <dd>{definition.lanes.join(", ")}</dd>
          </>
        ) : null}
      </dl>
      {usual.length > 0 ? (
        <details className="folded">
          <summary>{counted(usual.length, "option")} with default values</summary>
          <dl className="facts">
            <Options options={usual} />
          </dl>
        </details>
      ) : null}
    </Panel>
  );
}

function DeleteButton({ stream }: { stream: StreamResponse }) {
  const reason = useReason("edit");
  const [asking, setAsking] = useState(false);
  const slug = useSlug();
  const deleting = useDeleteStream();
  const uses = useUses("stream", stream.id);
  const navigate = useNavigate();
  const remove = () => deleting.mutate(stream.id, { onSuccess: () => void navigate(`/t/${slug}/streams`) });
  return (
    <>
      <ReasonedButton reason={reason} kind="danger" onClick={() => setAsking(true)}>
        Delete…
      </ReasonedButton>
      <ModalDialog title={`Delete the stream ${stream.name}?`} open={asking} onClose={() => setAsking(false)}>
        <p>Its definition is deleted. The data that its adapter reads is not touched.</p>
        {uses.data !== undefined && uses.data.length > 0 ? (
          <>
            <p>It can't be deleted while these use it. Change or delete them first:</p>
            <UseList uses={uses.data} />
          </>
        ) : null}
        <ErrorNote error={deleting.error} />
        <p className="row">
          <ReasonedButton
            reason={uses.data?.length ? "It is in use (see above)." : null}
            kind="danger"
            onClick={remove}
            aria-disabled={deleting.isPending}
          >
            {deleting.isPending ? "Deleting…" : "Delete"}
          </ReasonedButton>
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
        </p>
      </ModalDialog>
    </>
  );
}

function Actions({ stream }: { stream: StreamResponse }) {
  const reason = useReason("edit");
  return (
    <>
      <CountButton stream={stream} />
      <ReasonedLink reason={reason} to="edit">
        Edit or rename…
      </ReasonedLink>
      <DeleteButton stream={stream} />
    </>
  );
}

/** Return the server's warnings about the stream that was just saved. */
function warningsIn(state: unknown): readonly Fault[] {
  return (state as { warnings?: readonly Fault[] } | null)?.warnings ?? [];
}

/** One stream: its settings and a sample of its rows. */
export function StreamPage() {
  const { stream: id = "" } = useParams();
  const slug = useSlug();
  const stream = useStream(id);
  const { state } = useLocation();
  if (stream.isPending) return <Waiting>Loading the stream…</Waiting>;
  if (stream.isError) return <ErrorNote error={stream.error} onRetry={() => void stream.refetch()} />;
  return (
    <>
      <PageHead
        title={stream.data.name}
        crumb={{ to: `/t/${slug}/streams`, label: "Streams" }}
        actions={<Actions stream={stream.data} />}
      />
      <FaultList faults={warningsIn(state)} />
      <div className="two">
        <Schema definition={stream.data.definition} />
        <Settings stream={stream.data} />
      </div>
      <UsesPanel
        kind="stream"
        id={stream.data.id}
        none="Not used by any query or binding, so you can rename or delete it safely."
      />
      {stream.data.adapter.kind === "push" ? <PushPanel stream={stream.data} /> : null}
      <SamplePanel stream={stream.data} />
    </>
  );
}
