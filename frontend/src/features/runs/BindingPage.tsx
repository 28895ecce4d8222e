import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { AskedAction } from "../../components/AskedAction";
import { FootprintsPanel } from "../../components/Footprints";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { Stale } from "../../components/Stale";
import { StartFromButton } from "../../components/StartFromButton";
import { UsesPanel } from "../../components/Uses";
import { useReason, useSlug } from "../../lib/session";
import type { BindingChange, BindingShown } from "../../model/api";
import { type BindingTyped, bindingText } from "../../model/bindingForm";
import { isOpen } from "../../model/states";
import { BindingEditor } from "./BindingEditor";
import { Action } from "./Bindings";
import { History } from "./History";
import { OutputsPanel } from "./OutputsPanel";
import { useBinding, useChangeBinding, useDeleteBinding, useRunsOf } from "./requests";

function DeleteBinding({ binding }: { binding: BindingShown }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const edit = useReason("edit");
  const remove = useDeleteBinding(binding.id);
  const open = binding.latest_run !== null && isOpen(binding.latest_run);
  return (
    <AskedAction
      reason={edit ?? (open ? `${binding.name} has a run that has not ended. Stop it first.` : null)}
      opener="Delete…"
      kind="danger"
      title={`Delete the binding ${binding.name}?`}
      words={["Delete", "Deleting…"]}
      keep="Keep it"
      act={remove}
      onDone={() => navigate(`/t/${slug}/runs`)}
    >
      <p>
        The binding and the list of its runs are removed. Its query and its streams stay. Files of its results stay too,
        and count in the limits until they are deleted.
      </p>
    </AskedAction>
  );
}

function Head({ binding }: { binding: BindingShown }) {
  const slug = useSlug();
  const operate = useReason("operate");
  const navigate = useNavigate();
  const open = binding.latest_run !== null && isOpen(binding.latest_run);
  return (
    <PageHead
      title={binding.name}
      crumb={{ to: `/t/${slug}/runs`, label: "Runs" }}
      beside={<span className="mark" data-tone="idle">{`${binding.query_name} v${binding.query_version_number}`}</span>}
      actions={
        <>
          <Action binding={binding} reason={operate} />
          {open ? null : (
            <StartFromButton
              binding={binding.id}
              name={binding.name}
              reason={operate}
              onStarted={(run) => void navigate(`/t/${slug}/runs/${run.id}`)}
            />
          )}
          <DeleteBinding binding={binding} />
        </>
      }
    />
  );
}

interface Sent {
  body: BindingChange;
  typed: BindingTyped;
  done: () => void;
}

function Settings({ binding, onReload }: { binding: BindingShown; onReload: () => void }) {
  const saving = useChangeBinding(binding.id);
  const [sent, setSent] = useState<Sent | null>(null);
  const send = (what: Sent, upon: string) => {
    setSent(what);
    saving.mutate(
      { ...what.body, upon },
      {
        onSuccess: () => {
          what.done();
          onReload();
        },
      },
    );
  };
  const reload = () => {
    sent?.done();
    saving.reset();
    onReload();
  };
  const running = binding.latest_run !== null && isOpen(binding.latest_run);
  return (
    <Panel title="What it runs" note="A version of a query, and the stream that feeds each of its inputs.">
      <div className="stack">
        {running ? (
          <Notice tone="busy">
            <p>
              A run is under way, and keeps what it started with. Freshness holds as soon as it is saved, all else from
              the next start.
            </p>
          </Notice>
        ) : null}
        <BindingEditor
          binding={binding}
          saving={saving}
          onSave={(body, typed, done) => send({ body, typed, done }, typed.upon)}
        />
        <Stale
          error={saving.error}
          begun={sent?.typed.begun ?? ""}
          now={bindingText(binding)}
          onReload={reload}
          onOverwrite={() => (sent === null ? undefined : send(sent, binding.revision))}
        />
      </div>
    </Panel>
  );
}

function Runs({ binding }: { binding: BindingShown }) {
  const runs = useRunsOf(binding.id);
  return (
    <Panel title="Its runs" note="The newest 100, newest first." flush>
      <ErrorNote error={runs.error} onRetry={() => void runs.refetch()} />
      {runs.isPending ? <Waiting>Loading the runs…</Waiting> : null}
      {runs.data?.length === 0 ? <p className="inset quiet">It has never run. Start it above.</p> : null}
      {runs.data !== undefined && runs.data.length > 0 ? <History runs={runs.data} /> : null}
    </Panel>
  );
}

/** One binding: what it runs, how that is changed, renamed and deleted, and its runs. */
export function BindingPage() {
  const { binding: id = "" } = useParams();
  const binding = useBinding(id);
  const [saved, setSaved] = useState(0);
  if (binding.isPending) return <Waiting>Loading the binding…</Waiting>;
  if (binding.isError) return <ErrorNote error={binding.error} onRetry={() => void binding.refetch()} />;
  const reload = () => void binding.refetch().then(() => setSaved((times) => times + 1));
  return (
    <>
      <Head binding={binding.data} />
      {saved > 0 ? (
        <Notice tone="good">
          <p>This is what is stored now. Freshness holds at once, all else from the next start.</p>
        </Notice>
      ) : null}
      <Settings key={saved} binding={binding.data} onReload={reload} />
      <OutputsPanel key={`outputs ${saved}`} binding={binding.data} onSaved={() => void binding.refetch()} />
      <FootprintsPanel binding={binding.data.id} />
      <UsesPanel kind="binding" id={binding.data.id} none="No stream reads its results." />
      <Runs binding={binding.data} />
    </>
  );
}
