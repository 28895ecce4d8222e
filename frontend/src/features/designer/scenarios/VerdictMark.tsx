import { counted } from "../../../lib/numbers";
import type { ScenarioFindings } from "../../../model/api";

/** How many things differ, for a line in a list. */
export function differenceCount(findings: ScenarioFindings): number {
  return findings.missing.length + findings.unexpected.length + findings.changed.length + findings.other.length;
}

interface VerdictMarkProps {
  /** Null: not run; "running": the answer is awaited. */
  verdict: ScenarioFindings | "running" | null;
}

/** Green, red, running or not run: told by sign and word, not by colour alone. */
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
