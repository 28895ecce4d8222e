import { Link } from "react-router";
import { Choices } from "../../components/actions/Choices";
import { IsoInstant } from "../../components/values/Instant";
import { useSlug } from "../../lib/account/session";
import { versionWords } from "../../messages/run/versions";
import type { RunKeptResponse } from "../../model/api";

/** The listed rows: those of this run, or of all runs of its binding. */
export type RunScope = "own" | "all";

const SCOPES: readonly (readonly [RunScope, string])[] = [
  ["own", "This run"],
  ["all", "All runs of this binding"],
];

export function ScopeChoice({ value, onChange }: { value: RunScope; onChange: (scope: RunScope) => void }) {
  return <Choices label="Runs" options={SCOPES} value={value} onChange={onChange} />;
}

interface RunCellProps {
  /** The run that emitted the row; null if unknown. */
  of: string | null;
  /** The run of this page. */
  here: string;
  known: readonly RunKeptResponse[];
}

/** The run that emitted a row. */
export function RunCell({ of, here, known }: RunCellProps) {
  const slug = useSlug();
  if (of === null) return <span className="quiet">before runs were tracked</span>;
  const run = known.find((each) => each.run === of);
  const started = run?.started_at ? <IsoInstant iso={run.started_at} /> : "a run";
  return (
    <>
      {of === here ? "this run" : <Link to={`/t/${slug}/runs/${of}`}>{started}</Link>}
      {run === undefined ? null : <span className="quiet"> · {versionWords(run.query_version)}</span>}
    </>
  );
}

/** Explains an empty list for a run that has emitted rows. */
export function NotKept() {
  return <p>They were deleted, or are older than the retention period. The figures above still include them.</p>;
}
