/** The effect of another version on the state of a query's nodes, in words. */

import type { NextStart, NodeDifference } from "../../model/api";

const STANDINGS: Record<NodeDifference["standing"], string> = {
  same: "the same",
  widened: "widened",
  lost: "changed",
  new: "new",
  gone: "removed",
};

export function standingWords({ standing }: Pick<NodeDifference, "standing">): string {
  return STANDINGS[standing];
}

/** Explain whether the state of nodes can be carried over, and why not; `beside`: the version runs next to the current run. */
export function carryingWords({ options, not_carried }: Pick<NextStart, "options" | "not_carried">, beside: boolean) {
  const offered = options.some(({ begin }) => begin === "carried_over");
  if (beside)
    return offered
      ? "Without a pause, the rows of open windows are read again, so results are complete. If you stop and start instead, open windows can be carried over: no rows are read again, but new columns lack the earlier rows of open windows."
      : "Open windows are rebuilt by reading their rows again.";
  if (offered)
    return "Open windows can be carried over: unchanged and widened windows continue, and no rows are read again. Or their rows are read again, so results are complete.";
  const why = not_carried === null ? "" : ` ${not_carried}`;
  return `Open windows are not carried over. They are rebuilt if their rows are read again.${why}`;
}

/** Describe the change of a node, and its effect on the node's windows and groups. */
export function differenceWords({ standing, added, removed, changed }: NodeDifference): string {
  switch (standing) {
    case "same":
      return "Its windows, groups and inputs are unchanged.";
    case "widened":
      return [
        "Windows and groups are unchanged.",
        added.length > 0 ? `New: ${added.join(", ")}.` : "",
        removed.length > 0 ? `Removed: ${removed.join(", ")}.` : "",
      ]
        .filter((each) => each !== "")
        .join(" ");
    case "lost":
      return changed.length > 0
        ? `Changed: ${changed.join(", ")}. Its saved state can't be reused.`
        : "Its input has changed. Its saved state can't be reused.";
    case "new":
      return "The previous version does not have this node.";
    case "gone":
      return "This version does not have this node; its state is discarded.";
  }
}
