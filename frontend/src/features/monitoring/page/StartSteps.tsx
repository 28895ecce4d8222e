import { STEP_WORDS, timedSteps } from "../../../messages/run/starting";
import type { StartStep } from "../../../model/api";
import type { Ticks } from "../../../model/time/ticks";

/** The steps of a start with their duration. Screen readers announce each step when it starts. */
export function StartSteps({ steps, now }: { steps: readonly StartStep[]; now: Ticks }) {
  const timed = timedSteps(steps, now);
  const current = timed.at(-1);
  if (current === undefined) return <p>The first report arrives with the first batch.</p>;
  return (
    <>
      <p className="visually-hidden" role="status">
        {STEP_WORDS[current.name]}
      </p>
      <ol className="start-steps">
        {timed.map(({ name, seconds, current: goesOn }) => (
          <li key={name} aria-current={goesOn ? "step" : undefined}>
            {STEP_WORDS[name]} <span className="figures">{seconds} s</span>
            {goesOn ? "…" : ""}
          </li>
        ))}
      </ol>
    </>
  );
}
