/** What becomes of what the nodes of a query hold when another version takes over, in words. */

import type { NodeDifference } from "./api";

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
