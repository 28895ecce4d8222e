/** What is wanted of a run and what is seen of it, in words. */

import type { Observed, RunState } from "./api";

export type Tone = "good" | "done" | "busy" | "idle" | "bad" | "unknown";

export const OBSERVED_WORDS: Record<Observed, { label: string; tone: Tone; meaning: string }> = {
  requested: { label: "Requested", tone: "busy", meaning: "Waiting for a runner to take it." },
  starting: { label: "Starting", tone: "busy", meaning: "The runner is opening inputs and state." },
  running: { label: "Running", tone: "good", meaning: "The runner reads and reports." },
  recovering: {
    label: "Recovering",
    tone: "busy",
    meaning: "It ran; its runner or engine was started again and takes it up where it was.",
  },
  stopping: { label: "Stopping", tone: "busy", meaning: "The last batch is being finished." },
  stopped: {
    label: "Stopped",
    tone: "idle",
    meaning: "It has stopped. Before a start the page says what that goes on from.",
  },
  completed: {
    label: "Completed",
    tone: "done",
    meaning: "It has read its inputs to their end, and every result is written.",
  },
  failed: { label: "Failed", tone: "bad", meaning: "It cannot go on until what the message says is mended." },
  lost: { label: "Unknown", tone: "unknown", meaning: "Its runner no longer answers; a new one is being launched." },
};

export type Domain = "user" | "external" | "internal";

const WHO_ACTS: Record<Domain, string> = {
  user: "You can mend this: change what the message names, then start again. Results so far and state are kept.",
  external:
    "Something outside failed; it is tried again by itself. If it stays, look at the system that the message names.",
  internal: "This is a fault of Punctual. State is kept; tell whoever runs this installation, with the run's id.",
};

export function whoActs(domain: string | null): string {
  return domain !== null && domain in WHO_ACTS ? WHO_ACTS[domain as Domain] : "";
}

/** True while there is something to stop. */
export function isOpen(run: Pick<RunState, "observed" | "ended_at">): boolean {
  return run.ended_at === null;
}
