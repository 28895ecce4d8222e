import { counted } from "../../../lib/numbers";
import type { ScenarioFindings } from "../../../model/api";

/** Return the number of differences, for a line in a list. */
export function differenceCount(findings: ScenarioFindings): number {
  return findings.missing.length + findings.unexpected.length + findings.changed.length + findings.other.length;
}

interface VerdictMarkProps {
  /** Null: not run; "running": in progress. */
  verdict: ScenarioFindings | "running" | null;
}

/** Green, red, running or not run; marked by sign and word, not only by colour. */
export function VerdictMark({ verdict }: VerdictMarkProps) {
  if (verdict === "running")
    return (
      <span className="mark" data-tone="busy">
        … running
      </span>
    );
  if (verdict === null)
    return (
      <span className="mark" data-tone="idle">
        not run
      </span>
    );
  return verdict.holds ? (
    <span className="mark" data-tone="good">
      ✓ green
    </span>
  ) : (
    <span className="mark" data-tone="bad">{`✕ red: ${counted(differenceCount(verdict), "difference")}`}</span>
  );
}
