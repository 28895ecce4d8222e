import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { ErrorNote } from "../../components/notices/Notices";
import { ChangeVersionDialog } from "../../components/runControl/ChangeVersionDialog";
import { useStarting } from "../../components/runControl/useStarting";
import { useReason, useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { useBindingsOf, useReplaceBinding, useVersionsOf } from "../../lib/resources/bindings";
import type { BindingResponse, QueryResponse, RunResponse, VersionResponse } from "../../model/api";
import { withVersion } from "../../model/binding/bindingForm";
import { type RunTarget, runTargets } from "../../model/run/runTarget";
import { counted } from "../../model/text/counts";

export interface UnsavedQuery {
  /** The reason why it can't be saved; null if it can. */
  reason: string | null;
  /** Save it as a version; null if the server refused, and the page then shows why. */
  save: () => Promise<VersionResponse | null>;
}

interface RunProps {
  query: QueryResponse;
  /** Null without changes. */
  unsaved: UnsavedQuery | null;
}

/** Save the changes first, so a run never uses another text than the one on the page. */
function versionToRun({ query, unsaved }: RunProps): Promise<VersionResponse | null> {
  return unsaved === null ? Promise.resolve(query.current) : unsaved.save();
}

function useRunReason({ unsaved }: RunProps): string | null {
  const edit = useReason("edit");
  const operate = useReason("operate");
  return operate ?? (unsaved === null ? null : (edit ?? unsaved.reason));
}

function useOpenRun(): (run: RunResponse) => void {
  const slug = useSlug();
  const navigate = useNavigate();
  return (run) => void navigate(`/t/${slug}/runs/${run.id}`);
}

function NotStarted({ name, error, onClose }: { name: string; error: unknown; onClose: () => void }) {
  return (
    <ModalDialog title={`${name} was not started`} open={error !== null} onClose={onClose}>
      <ErrorNote error={error} />
    </ModalDialog>
  );
}

/** Bind the query to the streams that it names, and start the binding. */
function CreateAndRun(props: RunProps) {
  const slug = useSlug();
  const open = useOpenRun();
  const queries = useQueryClient();
  const edit = useReason("edit");
  const reason = useRunReason(props);
  const running = useMutation({
    mutationFn: async () => {
      const version = await versionToRun(props);
      if (version === null) return null;
      const body = { name: version.graph.name, query_version: version.id };
      const binding = await unwrap(api.POST("/api/t/{slug}/bindings/", { params: { path: { slug } }, body }));
      const params = { path: { slug, binding: binding.id } };
      return unwrap(api.POST("/api/t/{slug}/bindings/{binding}/start/", { params }));
    },
    onSuccess: (run) => (run === null ? undefined : open(run)),
    onSettled: () => Promise.all(["runs", "uses"].map((part) => queries.invalidateQueries({ queryKey: [slug, part] }))),
  });
  return (
    <>
      <ReasonedButton
        reason={edit ?? reason}
        kind="primary"
        onClick={() => (running.isPending ? undefined : running.mutate())}
        aria-disabled={running.isPending}
      >
        {running.isPending ? "Starting…" : props.unsaved === null ? "Run" : "Save and run"}
      </ReasonedButton>
      <NotStarted name={props.query.name} error={running.error} onClose={() => running.reset()} />
    </>
  );
}

/** Give a stopped binding the version on the screen, and start it. */
function StartBinding({ binding, label, ...props }: RunProps & { binding: BindingResponse; label: string }) {
  const edit = useReason("edit");
  const reason = useRunReason(props);
  const [isSaving, setSaving] = useState(false);
  const versions = useVersionsOf(props.query.id);
  const replacing = useReplaceBinding();
  const { ask, isBusy, dialogs } = useStarting({ binding: binding.id, name: binding.name, onStarted: useOpenRun() });
  const isOlder = binding.query_version !== props.query.current.id || props.unsaved !== null;
  const prepare = async (): Promise<boolean> => {
    const version = await versionToRun(props);
    if (version === null) return false;
    if (binding.query_version === version.id) return true;
    const before = versions.data?.find((each) => each.id === binding.query_version);
    const replaced = replacing.mutateAsync({ binding: binding.id, body: withVersion(binding, before, version) });
    return replaced.then(
      () => true,
      () => false,
    );
  };
  const press = async () => {
    if (isSaving || isBusy) return;
    setSaving(true);
    const isPrepared = await prepare().finally(() => setSaving(false));
    if (isPrepared) ask();
  };
  const loading = versions.data === undefined ? "Its versions are being loaded." : null;
  return (
    <>
      {dialogs}
      <ReasonedButton
        reason={(isOlder ? (edit ?? loading) : null) ?? reason}
        kind="primary"
        aria-label={label}
        onClick={() => void press()}
        aria-disabled={isSaving || isBusy}
      >
        {isSaving || isBusy ? "Starting…" : props.unsaved === null ? "Run" : "Save and run"}
      </ReasonedButton>
      <NotStarted name={binding.name} error={replacing.error} onClose={() => replacing.reset()} />
    </>
  );
}

/** Let the version on the screen take over from an active run. */
function ChangeRun({ run, label, ...props }: RunProps & { run: RunResponse; label: string }) {
  const reason = useRunReason(props);
  const open = useOpenRun();
  const [isSaving, setSaving] = useState(false);
  const [proposed, setProposed] = useState<VersionResponse | null>(null);
  const versions = useVersionsOf(props.query.id).data ?? [];
  const press = async () => {
    if (isSaving) return;
    setSaving(true);
    const version = await versionToRun(props).finally(() => setSaving(false));
    if (version !== null && version.number !== run.query_version) setProposed(version);
  };
  const others = versions.filter(({ id, number }) => number !== run.query_version && id !== proposed?.id);
  return (
    <>
      <ReasonedButton
        reason={reason}
        kind="primary"
        aria-label={label}
        onClick={() => void press()}
        aria-disabled={isSaving}
      >
        {isSaving ? "Saving…" : props.unsaved === null ? `Run version ${props.query.current.number}…` : "Save and run…"}
      </ReasonedButton>
      {proposed === null ? null : (
        <ChangeVersionDialog
          run={run}
          versions={[proposed, ...others]}
          onRequested={() => open(run)}
          onClose={() => setProposed(null)}
        />
      )}
    </>
  );
}

function TargetButton({ target, label, ...props }: RunProps & { target: RunTarget; label: string }) {
  const slug = useSlug();
  switch (target.kind) {
    case "create":
      return <CreateAndRun {...props} />;
    case "start":
      return <StartBinding {...props} label={label} binding={target.binding} />;
    case "change":
      return <ChangeRun {...props} label={label} run={target.run} />;
    case "runs":
      return (
        <Link className="button" to={`/t/${slug}/runs/${target.run.id}`}>
          Open the run
        </Link>
      );
  }
}

function runWords(target: RunTarget): string {
  if (target.kind === "change") return `runs version ${target.run.query_version}`;
  return target.kind === "runs" ? "runs this version" : "does not run";
}

/** A query with several bindings: choose the one to run. */
function ChooseBinding({ bindings, ...props }: RunProps & { bindings: readonly BindingResponse[] }) {
  const { query, unsaved } = props;
  const reason = useRunReason(props);
  const [isSaving, setSaving] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const press = async () => {
    if (isSaving) return;
    setSaving(true);
    const version = await versionToRun(props).finally(() => setSaving(false));
    setOpen(version !== null);
  };
  const targets = runTargets(bindings, query.current.number, false);
  return (
    <>
      <ReasonedButton reason={reason} kind="primary" onClick={() => void press()} aria-disabled={isSaving}>
        {isSaving ? "Saving…" : unsaved === null ? "Run…" : "Save and run…"}
      </ReasonedButton>
      <ModalDialog
        title={`Run version ${query.current.number} of ${query.name}`}
        open={isOpen}
        onClose={() => setOpen(false)}
      >
        <p>The query has {counted(bindings.length, "binding")}. Choose the one that runs this version.</p>
        <ul className="stack tight">
          {bindings.map((binding, number) => {
            const target = targets[number];
            return target === undefined ? null : (
              <li key={binding.id} className="row">
                <strong>{binding.name}</strong> <span className="quiet">{runWords(target)}</span>
                <TargetButton query={query} unsaved={null} target={target} label={`Run ${binding.name}`} />
              </li>
            );
          })}
        </ul>
      </ModalDialog>
    </>
  );
}

/**
 * Run the query on the screen: save its changes, then start its binding, or let the new version take over from the
 * binding's run. Without a binding, create one. A link to the run if it already runs this version.
 */
export function RunButton(props: RunProps) {
  const { query, unsaved } = props;
  const bindings = useBindingsOf(query.id);
  if (bindings.data === undefined) {
    const reason = bindings.isError
      ? "Its bindings can't be loaded. Reload the page."
      : "Its bindings are being loaded.";
    return (
      <ReasonedButton reason={reason} kind="primary">
        Run
      </ReasonedButton>
    );
  }
  if (bindings.data.length > 1) return <ChooseBinding {...props} bindings={bindings.data} />;
  const [target] = runTargets(bindings.data, query.current.number, unsaved !== null);
  if (target === undefined) return null;
  const label =
    unsaved === null
      ? target.kind === "change"
        ? `Run version ${query.current.number}…`
        : "Run"
      : `Save and run${target.kind === "change" ? "…" : ""}`;
  return <TargetButton {...props} target={target} label={label} />;
}
