import { useState } from "react";
import { Link } from "react-router";
import { Ask } from "../../components/Ask";
import { SelectField } from "../../components/Field";
import { Instant, IsoInstant } from "../../components/Instant";
import { OpenWords } from "../../components/NextStartWords";
import { NodeDifferences } from "../../components/NodeDifferences";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { goneWords, ReadAgain } from "../../components/ReadAgain";
import { ReasonedButton } from "../../components/Reasoned";
import { useVersionsOf } from "../../lib/bindings";
import { useNextStart, useTimeline } from "../../lib/runControl";
import { useReason, useSlug } from "../../lib/session";
import type { RunShown, VersionChangeShown, VersionShown } from "../../model/api";
import { isUnderWay, progressWords, takeoverCti } from "../../model/versionChanges";
import { useChangeRefusal, useChangeVersion, useVersionChange } from "./changeRequests";

interface StandingProps {
  change: VersionChangeShown;
  run: RunShown;
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
            ? `Version ${change.version} is catching up beside this run, which goes on as it is.`
            : `Version ${change.version} is taking over.`}
        </strong>{" "}
        {catching ? progressWords(change) : "This run has been told to stop; what it holds is given next."}
      </p>
      {catching ? (
        <p>
          {change.began} Its rows are given to nobody until it takes over, at the CTI that this run has come to by then.
        </p>
      ) : null}
      <p className="quiet small">
        Asked for <IsoInstant iso={change.created_at} /> by <bdi>{change.by}</bdi>
      </p>
      <ErrorNote error={callOff.error} />
      {catching ? (
        <p>
          <ReasonedButton reason={reason} onClick={() => callOff.mutate()} aria-disabled={callOff.isPending}>
            {callOff.isPending ? "Calling off…" : "Call the change off"}
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
            The change to version {change.version} {change.state === "failed" ? "failed" : "was called off"}; this run
            went on.
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
          {change.run === run.id ? "To the run that goes on" : "To the run before"}
        </Link>
      </p>
    </Notice>
  );
}

interface AskedProps {
  run: RunShown;
  versions: readonly VersionShown[];
  onClose: () => void;
}

function wordsOf({ number, comment }: VersionShown): string {
  return comment === "" ? `version ${number}` : `version ${number}: ${comment}`;
}

function Asked({ run, versions, onClose }: AskedProps) {
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
    <Ask title={`Change ${run.binding_name} to another version`} wide open onClose={onClose}>
      <SelectField
        label="Version"
        value={number}
        options={versions.map((each) => [String(each.number), wordsOf(each)] as const)}
        onChange={setNumber}
      />
      <p>
        The new version reads again what is open, beside the run, which goes on as it is. When it has caught up, the run
        stops, and the new version goes on from the same CTI: no window is missing, and none is given twice.
      </p>
      {next.data === undefined ? <Waiting>Asking what is open…</Waiting> : <OpenWords next={next.data} />}
      {next.data === undefined ? null : <NodeDifferences next={next.data} beside />}
      {standing.data?.refusal === null ? <ReadAgain asked={asked.inputs ?? []} /> : null}
      <ErrorNote error={standing.error ?? next.error} />
      {refusal === null ? null : (
        <Notice tone="unknown">
          <p>
            <strong>It cannot be changed without a pause.</strong> {refusal}
          </p>
          <p>
            To stop and start it instead: give the binding the version under{" "}
            <Link to={`/t/${slug}/runs/bindings/${run.binding}`}>its settings</Link>, then stop the run and start it.
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
          {begin.isPending ? "Asking…" : `Change to version ${number}, without a pause`}
        </ReasonedButton>
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
      </p>
    </Ask>
  );
}

function ChangeButton({ run }: { run: RunShown }) {
  const [asking, setAsking] = useState(false);
  const reason = useReason("operate");
  const versions = useVersionsOf(run.query ?? "").data ?? [];
  const others = versions.filter((each) => each.number !== run.query_version);
  if (others.length === 0) return null;
  return (
    <p>
      <ReasonedButton reason={reason} onClick={() => setAsking(true)}>
        Change the version…
      </ReasonedButton>
      {asking ? <Asked run={run} versions={others} onClose={() => setAsking(false)} /> : null}
    </p>
  );
}

/** A change of this run to another version: how far it is, how it went, and the wish for one while the run goes on. */
export function VersionChange({ run, open }: { run: RunShown; open: boolean }) {
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
