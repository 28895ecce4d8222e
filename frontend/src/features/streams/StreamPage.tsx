import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { Ask } from "../../components/Ask";
import { ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { ReasonedButton, ReasonedLink } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { UseList, UsesPanel, useUses } from "../../components/Uses";
import { useInputKinds } from "../../lib/adapterKinds";
import { counted } from "../../lib/numbers";
import { useReason, useSlug } from "../../lib/session";
import { advanceWords } from "../../model/advance";
import type { StreamDefinition, StreamShown } from "../../model/api";
import { titledOptions } from "../../model/schemaForm";
import { CountIt } from "./CountIt";
import { PushPanel } from "./PushPanel";
import { useDeleteStream, useStream } from "./requests";
import { SamplePanel } from "./SamplePanel";

const SHAPE_WORDS = {
  point: "Points: each event happens at one moment.",
  interval: "Intervals: each event has a start and an end.",
  edge: "Edges: starts and ends of lifetimes come as separate rows.",
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
  if (!time) return ["The adapter gives each event its time."];
  const column = (at: { column: string; unit?: string; zone?: string }) =>
    `${at.column} (${at.unit === "iso" || at.unit === undefined ? `ISO text, ${at.zone ?? "UTC"}` : at.unit})`;
  return [
    `Start: ${column(time.start)}`,
    ...(time.end ? [`End: ${column(time.end)}`] : []),
    ...(time.edge ? [`Which edge: ${time.edge}`] : []),
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

function Settings({ stream }: { stream: StreamShown }) {
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
          <summary>{counted(usual.length, "option")} as set by default</summary>
          <dl className="facts">
            <Options options={usual} />
          </dl>
        </details>
      ) : null}
    </Panel>
  );
}

function DeleteButton({ stream }: { stream: StreamShown }) {
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
      <Ask title={`Delete the stream ${stream.name}?`} open={asking} onClose={() => setAsking(false)}>
        <p>Its definition is removed. The data that its adapter reads stays where it is.</p>
        {uses.data !== undefined && uses.data.length > 0 ? (
          <>
            <p>It cannot be deleted while something needs it. Change or delete these first:</p>
            <UseList uses={uses.data} />
          </>
        ) : null}
        <ErrorNote error={deleting.error} />
        <p className="row">
          <ReasonedButton
            reason={uses.data?.length ? "Something needs it, as is listed above." : null}
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
      </Ask>
    </>
  );
}

function Actions({ stream }: { stream: StreamShown }) {
  const reason = useReason("edit");
  return (
    <>
      <CountIt stream={stream} />
      <ReasonedLink reason={reason} to="edit">
        Change or rename…
      </ReasonedLink>
      <DeleteButton stream={stream} />
    </>
  );
}

/** One stream: its settings and a sample of what its adapter reads. */
export function StreamPage() {
  const { stream: id = "" } = useParams();
  const slug = useSlug();
  const stream = useStream(id);
  if (stream.isPending) return <Waiting>Loading the stream…</Waiting>;
  if (stream.isError) return <ErrorNote error={stream.error} onRetry={() => void stream.refetch()} />;
  return (
    <>
      <PageHead
        title={stream.data.name}
        crumb={{ to: `/t/${slug}/streams`, label: "Streams" }}
        actions={<Actions stream={stream.data} />}
      />
      <div className="two">
        <Schema definition={stream.data.definition} />
        <Settings stream={stream.data} />
      </div>
      <UsesPanel
        kind="stream"
        id={stream.data.id}
        none="No query and no binding reads it yet: it can be renamed or deleted without affecting anything."
      />
      {stream.data.adapter.kind === "push" ? <PushPanel stream={stream.data} /> : null}
      <SamplePanel stream={stream.data} />
    </>
  );
}
