import { Link } from "react-router";
import { Choices } from "../../components/Choices";
import { IsoInstant } from "../../components/Instant";
import { useSlug } from "../../lib/session";
import type { RunKeptShown } from "../../model/api";
import { versionWords } from "../../model/versions";

/** Whose rows are listed: those of this run, or of all runs of its binding. */
export type RunScope = "own" | "all";

const SCOPES: readonly (readonly [RunScope, string])[] = [
  ["own", "This run"],
  ["all", "All runs of this binding"],
];

export function ScopeChoice({ value, onChange }: { value: RunScope; onChange: (scope: RunScope) => void }) {
  return <Choices label="Whose rows are listed" options={SCOPES} value={value} onChange={onChange} />;
}

interface RunCellProps {
  /** The run that made the row; null if nobody knows. */
  of: string | null;
  /** The run whose page this is. */
  here: string;
  known: readonly RunKeptShown[];
}

/** Which run made a row. */
export function RunCell({ of, here, known }: RunCellProps) {
  const slug = useSlug();
  if (of === null) return <span className="quiet">before runs were told apart</span>;
  const run = known.find((each) => each.run === of);
  const started = run?.started_at ? <IsoInstant iso={run.started_at} /> : "a run";
  return (
    <>
      {of === here ? "this run" : <Link to={`/t/${slug}/runs/${of}`}>{started}</Link>}
      {run === undefined ? null : <span className="quiet"> · {versionWords(run.query_version)}</span>}
    </>
  );
}

/** Why a list of rows is empty though the run has made some. */
export function NotKept() {
  return <p>They were deleted, or are older than what is kept here. The figures above count them all the same.</p>;
}
