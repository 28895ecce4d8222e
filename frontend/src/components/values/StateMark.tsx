import type { Observed } from "../../model/api";
import { OBSERVED_WORDS, type Tone } from "../../model/run/states";
import { formatClock, formatInstant, formatLocal, ticksOf } from "../../model/time/ticks";

const TONE_SHAPES: Record<Tone, string> = {
  good: "M2 1.2v9.6L10.5 6z",
  done: "M4.6 10.4L.8 6.6l1.5-1.5 2.3 2.3 5.1-5.6 1.5 1.4z",
  busy: "M6 1.5a4.5 4.5 0 1 0 4.5 4.5H8.6A2.6 2.6 0 1 1 6 3.4z",
  idle: "M2 2h8v8H2z",
  bad: "M2.4 .8L6 4.4L9.6 .8L11.2 2.4L7.6 6L11.2 9.6L9.6 11.2L6 7.6L2.4 11.2L.8 9.6L4.4 6L.8 2.4z",
  unknown: "M6 .8L11.4 11H.6zM5.3 4.4v3.2h1.4V4.4zM5.3 8.4v1.4h1.4V8.4z",
};

/** States whose duration matters, so it is displayed. */
const TIMED_STATES: ReadonlySet<Observed> = new Set(["lost", "recovering"]);

interface StateMarkProps {
  observed: Observed;
  /** The time of the last change as ISO text; displayed if the state is unknown. */
  since?: string;
}

/** The observed state of a run: shape, colour and word; with its start if the run is lost or recovering. */
export function StateMark({ observed, since }: StateMarkProps) {
  const { label, tone, meaning } = OBSERVED_WORDS[observed];
  const at = since === undefined ? null : ticksOf(since);
  const when = TIMED_STATES.has(observed) && at !== null ? ` since ${formatClock(at)}` : "";
  const title = at === null ? meaning : `${meaning} Since ${formatInstant(at)} (${formatLocal(at)})`;
  return (
    <span className="mark" data-tone={tone} title={title}>
      <ToneShape tone={tone} />
      {label}
      {when}
    </span>
  );
}

function ToneShape({ tone }: { tone: Tone }) {
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d={TONE_SHAPES[tone]} fill="currentColor" fillRule="evenodd" />
    </svg>
  );
}

/** A state in a word or two, with shape and colour. */
export function ToneMark({ tone, label }: { tone: Tone; label: string }) {
  return (
    <span className="mark" data-tone={tone}>
      <ToneShape tone={tone} />
      {label}
    </span>
  );
}

export function DesiredMark({ desired }: { desired: "running" | "stopped" }) {
  return (
    <span className="mark" data-tone="idle" title="Desired state">
      {desired === "running" ? "should run" : "should stop"}
    </span>
  );
}
