/** What becomes of what the nodes of a query hold when another version takes over, in words. */

import type { NextStart, NodeDifference } from "./api";

const STANDINGS: Record<NodeDifference["standing"], string> = {
  same: "the same",
  widened: "widened",
  lost: "another one",
  new: "new",
  gone: "gone",
};

export function standingWords({ standing }: Pick<NodeDifference, "standing">): string {
  return STANDINGS[standing];
}

/** Whether what nodes hold may be carried over, or why it cannot; `beside`: by a version that reads beside the run. */
export function carryingWords({ options, not_carried }: Pick<NextStart, "options" | "not_carried">, beside: boolean) {
  const offered = options.some(({ begin }) => begin === "carried_over");
  if (beside)
    return offered
      ? "Changed without a pause, what is open is read again, and is whole. Stopped and started, it may be carried over instead: nothing is read again, and new columns lack rows in what is open."
      : "What is open is made again from rows that are read again.";
  if (offered)
    return "What is open may be carried over: windows that are the same or widened go on, and nothing is read again. Or it is read again, and is whole.";
  const why = not_carried === null ? "" : ` ${not_carried}`;
  return `What is open is not carried over: where rows are read again, it is made again from them.${why}`;
}

/** What is other about a node, and what that means for its windows and groups. */
export function differenceWords({ standing, added, removed, changed }: NodeDifference): string {
  switch (standing) {
    case "same":
      return "Its windows and groups, and all that it reads, are as before.";
    case "widened":
      return [
        "Windows and groups are as before.",
        added.length > 0 ? `New: ${added.join(", ")}.` : "",
        removed.length > 0 ? `Gone: ${removed.join(", ")}.` : "",
      ]
        .filter((each) => each !== "")
        .join(" ");
    case "lost":
      return changed.length > 0
        ? `Other than before: ${changed.join(", ")}. What it held is of no use to it.`
        : "What it reads is another. What it held is of no use to it.";
    case "new":
      return "The version before has no such node.";
    case "gone":
      return "This version has no such node; what it holds is left behind.";
  }
}
