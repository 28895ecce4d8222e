import { useState } from "react";
import { Link } from "react-router";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Notice } from "../../../components/notices/Notices";
import { ChangeVersionDialog } from "../../../components/runControl/ChangeVersionDialog";
import { Instant, IsoInstant } from "../../../components/values/Instant";
import { useReason, useSlug } from "../../../lib/account/session";
import { useVersionsOf } from "../../../lib/resources/bindings";
import { useChangeVersion, useVersionChange } from "../../../lib/resources/versionChange";
import { isUnderWay, progressWords, takeoverCti } from "../../../messages/run/versionChanges";
import type { RunResponse, VersionChangeResponse } from "../../../model/api";

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
      {asking ? <ChangeVersionDialog run={run} versions={others} onClose={() => setAsking(false)} /> : null}
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
