import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { ConfirmedAction } from "../../components/actions/ConfirmedAction";
import { FootprintsPanel } from "../../components/dependencies/Footprints";
import { UsesPanel } from "../../components/dependencies/Uses";
import { Stale } from "../../components/forms/Stale";
import { ErrorNote, Notice, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Panel } from "../../components/page/Panel";
import { StartFromButton } from "../../components/runControl/StartFromButton";
import { useReason, useSlug } from "../../lib/account/session";
import type { BindingChange, BindingResponse } from "../../model/api";
import { type BindingTyped, bindingText } from "../../model/binding/bindingForm";
import { isOpen } from "../../model/run/states";
import { BindingEditor } from "./BindingEditor";
import { Action } from "./Bindings";
import { History } from "./History";
import { OutputsPanel } from "./OutputsPanel";
import { newestOwn, useBinding, useChangeBinding, useDeleteBinding, useRunsOf } from "./requests";

function DeleteBinding({ binding }: { binding: BindingResponse }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const edit = useReason("edit");
  const remove = useDeleteBinding(binding.id);
  const open = binding.latest_run !== null && isOpen(binding.latest_run);
  return (
    <ConfirmedAction
      reason={edit ?? (open ? `${binding.name} has an active run. Stop it first.` : null)}
      opener="Delete…"
      kind="danger"
      title={`Delete the binding ${binding.name}?`}
      words={["Delete", "Deleting…"]}
      keep="Keep it"
      act={remove}
      onDone={() => navigate(`/t/${slug}/runs`)}
    >
      <p>
        The binding and its list of runs are deleted. Its query and streams stay. Its result files also stay and count
        towards the limits until you delete them.
      </p>
    </ConfirmedAction>
  );
}

function Head({ binding }: { binding: BindingResponse }) {
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

function Settings({ binding, onReload }: { binding: BindingResponse; onReload: () => void }) {
  const saving = useChangeBinding(binding.id);
  const [sent, setSent] = useState<Sent | null>(null);
  const send = async (what: Sent, upon: string) => {
    setSent(what);
    try {
      await saving.mutateAsync({ body: { ...what.body, upon }, onStored: what.done });
    } catch {
      return false; // the form shows why
    }
    onReload();
    return true;
  };
  const reload = () => {
    sent?.done();
    saving.reset();
    onReload();
  };
  const running = binding.latest_run !== null && isOpen(binding.latest_run);
  return (
    <Panel title="Query and inputs" note="A version of a query, and the stream for each of its inputs">
      <div className="stack">
        {running ? (
          <Notice tone="busy">
            <p>
              The active run keeps its settings. Freshness applies as soon as you save it; all other changes apply from
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
          isOtherChanged={sent !== null && newestOwn(sent.typed.upon) !== binding.revision}
          onReload={reload}
          onOverwrite={() => void (sent === null ? null : send(sent, binding.revision))}
        />
      </div>
    </Panel>
  );
}

function Runs({ binding }: { binding: BindingResponse }) {
  const runs = useRunsOf(binding.id);
  return (
    <Panel title="Runs" note="The newest 100, newest first" flush>
      <ErrorNote error={runs.error} onRetry={() => void runs.refetch()} />
      {runs.isPending ? <Waiting>Loading the runs…</Waiting> : null}
      {runs.data?.length === 0 ? <p className="inset quiet">No runs yet. Start it above.</p> : null}
      {runs.data !== undefined && runs.data.length > 0 ? <History runs={runs.data} /> : null}
    </Panel>
  );
}

/** One binding: its query and inputs, its settings and its runs. */
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
          <p>Showing the stored version. Freshness applies at once; all other changes apply from the next start.</p>
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
