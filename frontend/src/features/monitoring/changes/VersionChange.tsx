import { useState } from "react";
import { Link } from "react-router";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { SelectField } from "../../../components/forms/Field";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { OpenWords } from "../../../components/runControl/NextStartWords";
import { NodeDifferences } from "../../../components/runControl/NodeDifferences";
import { goneWords, RereadCheck } from "../../../components/runControl/RereadCheck";
import { Instant, IsoInstant } from "../../../components/values/Instant";
import { useReason, useSlug } from "../../../lib/account/session";
import { useVersionsOf } from "../../../lib/resources/bindings";
import { useNextStart, useTimeline } from "../../../lib/resources/runControl";
import { isUnderWay, progressWords, takeoverCti } from "../../../messages/run/versionChanges";
import type { RunResponse, VersionChangeResponse, VersionResponse } from "../../../model/api";
import { useChangeRefusal, useChangeVersion, useVersionChange } from "./changeRequests";

interface StandingProps {
  change: VersionChangeResponse;
  run: RunResponse;
}

function UnderWay({ change, run }: StandingProps) {
  const { callOff } = useChangeVersion(run.binding);
  const reason = useReason("operate");
  const catching = change.state === "catching_up";
  return (
    <Notice tone="busy">
      <p>
        <strong>
          {catching
            ? `Version ${change.version} is catching up while this run continues unchanged.`
            : `Version ${change.version} is taking over.`}
        </strong>{" "}
        {catching ? progressWords(change) : "This run is stopping and emits its remaining results."}
      </p>
      {catching ? (
        <p>
          {change.began} Its results are withheld until it takes over, at the CTI that this run has reached by then.
        </p>
      ) : null}
      <p className="quiet small">
        Requested <IsoInstant iso={change.created_at} /> by <bdi>{change.by}</bdi>
      </p>
      <ErrorNote error={callOff.error} />
      {catching ? (
        <p>
          <ReasonedButton reason={reason} onClick={() => callOff.mutate()} aria-disabled={callOff.isPending}>
            {callOff.isPending ? "Cancelling…" : "Cancel the change"}
          </ReasonedButton>
        </p>
      ) : null}
    </Notice>
  );
}

function Over({ change, run }: StandingProps) {
  const slug = useSlug();
  const cti = takeoverCti(change);
  const other = change.run === run.id ? change.next_run : change.run;
  if (change.state !== "done")
    return (
      <Notice tone="unknown">
        <p>
          <strong>
            The change to version {change.version} {change.state === "failed" ? "failed" : "was cancelled"}; this run
            continued.
          </strong>{" "}
          {change.message}
        </p>
      </Notice>
    );
  return (
    <Notice tone="good">
      <p>
        <strong>
          {change.run === run.id
            ? `Version ${change.version} took over from this run without a pause`
            : "This run took over from another version without a pause"}
          {cti === undefined ? "." : <>, at the CTI </>}
          {cti === undefined ? null : <Instant ticks={cti} />}
          {cti === undefined ? null : "."}
        </strong>{" "}
        <Link to={`/t/${slug}/runs/${other}`}>
          {change.run === run.id ? "Open the new run" : "Open the previous run"}
        </Link>
      </p>
    </Notice>
  );
}

interface ChangeDialogProps {
  run: RunResponse;
  versions: readonly VersionResponse[];
  onClose: () => void;
}

function wordsOf({ number, comment }: VersionResponse): string {
  return comment === "" ? `version ${number}` : `version ${number}: ${comment}`;
}

function ChangeDialog({ run, versions, onClose }: ChangeDialogProps) {
  const slug = useSlug();
  const [number, setNumber] = useState(String(versions[0]?.number));
  const version = versions.find((each) => String(each.number) === number);
  const { begin } = useChangeVersion(run.binding);
  const standing = useChangeRefusal(run.binding, version?.id);
  const next = useNextStart(run.binding, true, version?.id);
  const asked = useTimeline(run.binding, null, { wanted: standing.data?.refusal === null, version: version?.id });
  const refusal = standing.data?.refusal ?? goneWords(asked.inputs ?? []);
  const change = () => version && begin.mutate(version.id, { onSuccess: onClose });
  return (
    <ModalDialog title={`Change ${run.binding_name} to another version`} wide open onClose={onClose}>
      <SelectField
        label="Version"
        value={number}
        options={versions.map((each) => [String(each.number), wordsOf(each)] as const)}
        onChange={setNumber}
      />
      <p>
        The new version first reads the rows of open windows again, while this run continues. When it has caught up,
        this run stops and the new version takes over at the same CTI. No window is missing or repeated.
      </p>
      {next.data === undefined ? <Waiting>Loading open windows…</Waiting> : <OpenWords next={next.data} />}
      {next.data === undefined ? null : <NodeDifferences next={next.data} beside />}
      {standing.data?.refusal === null ? <RereadCheck asked={asked.inputs ?? []} /> : null}
      <ErrorNote error={standing.error ?? next.error} />
      {refusal === null ? null : (
        <Notice tone="unknown">
          <p>
            <strong>The version can't be changed without a pause.</strong> {refusal}
          </p>
          <p>
            To stop and start it instead, set the version in{" "}
            <Link to={`/t/${slug}/bindings/${run.binding}`}>the binding's settings</Link>, then stop and start the run.
          </p>
        </Notice>
      )}
      <ErrorNote error={begin.error} />
      <p className="row">
        <ReasonedButton
          reason={refusal}
          kind="primary"
          onClick={change}
          aria-disabled={begin.isPending || standing.data === undefined}
        >
          {begin.isPending ? "Requesting…" : `Change to version ${number} without a pause`}
        </ReasonedButton>
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
      </p>
    </ModalDialog>
  );
}

function ChangeButton({ run }: { run: RunResponse }) {
  const [asking, setAsking] = useState(false);
  const reason = useReason("operate");
  const versions = useVersionsOf(run.query ?? "").data ?? [];
  const others = versions.filter((each) => each.number !== run.query_version);
  if (others.length === 0) return null;
  return (
    <p>
      <ReasonedButton reason={reason} onClick={() => setAsking(true)}>
        Change version…
      </ReasonedButton>
      {asking ? <ChangeDialog run={run} versions={others} onClose={() => setAsking(false)} /> : null}
    </p>
  );
}

/** A change of this run to another version: its progress, its result, and the button that requests one. */
export function VersionChange({ run, open }: { run: RunResponse; open: boolean }) {
  const change = useVersionChange(run.binding, run.id).data?.change ?? null;
  const concerns = change !== null && (change.run === run.id || change.next_run === run.id);
  const underWay = isUnderWay(change);
  return (
    <>
      {concerns && underWay ? <UnderWay change={change} run={run} /> : null}
      {concerns && !underWay ? <Over change={change} run={run} /> : null}
      {open && !underWay ? <ChangeButton run={run} /> : null}
    </>
  );
}
