/** The desired and the observed state of a run, in words. */

import type { Observed, RunState } from "../api";

export type Tone = "good" | "done" | "busy" | "idle" | "bad" | "unknown";

export const OBSERVED_WORDS: Record<Observed, { label: string; tone: Tone; meaning: string }> = {
  requested: { label: "Requested", tone: "busy", meaning: "Waiting for a runner to take it." },
  starting: { label: "Starting", tone: "busy", meaning: "The runner is opening inputs and state." },
  running: { label: "Running", tone: "good", meaning: "The runner is reading and reporting." },
  recovering: {
    label: "Recovering",
    tone: "busy",
    meaning: "Its runner or engine was restarted and resumes the run where it was.",
  },
  stopping: { label: "Stopping", tone: "busy", meaning: "The last batch is being finished." },
  stopped: {
    label: "Stopped",
    tone: "idle",
    meaning: "Stopped. When you start it again, you'll see where it resumes.",
  },
  completed: {
    label: "Completed",
    tone: "done",
    meaning:
      "All inputs were read to their end, and all results are stored. Deliveries to outputs have their own state.",
  },
  failed: { label: "Failed", tone: "bad", meaning: "It can't continue until you fix the problem in the message." },
  lost: { label: "Unknown", tone: "unknown", meaning: "Its runner no longer responds; a new one is being launched." },
};

export type Domain = "user" | "external" | "internal";

const WHO_ACTS: Record<Domain, string> = {
  user: "You can fix this: follow the message, then start again. Results and state are kept.",
  external:
    "An external system failed. The run retries automatically. If it keeps failing, check the system named in the message.",
  internal: "This is an error in Punctual. State is kept. Report it to your administrator with the run's id.",
};

export function whoActs(domain: string | null): string {
  return domain !== null && domain in WHO_ACTS ? WHO_ACTS[domain as Domain] : "";
}

/** True while the run is active. */
export function isOpen(run: Pick<RunState, "observed" | "ended_at">): boolean {
  return run.ended_at === null;
}
