import type { AskedInput } from "../lib/runControl";
import type { TimelineShown } from "../model/api";
import { type Chosen, type InputHeld, type LaneHeld, laneWords, marksOf, refusalOf } from "../model/timeline";
import { Elapsed } from "./Elapsed";
import { Instant } from "./Instant";
import { ErrorNote, Notice, Waiting } from "./Notices";
import "./timeline.css";

const LANES_DRAWN = 12;

interface LaneProps {
  input: InputHeld;
  lane: LaneHeld;
  chosen: Chosen;
  shown: TimelineShown;
}

/** A lane as a line from its earliest row to now; what it says stands beside it in words. */
function LaneLine({ input, lane, chosen, shown }: LaneProps) {
  const marks = marksOf(chosen, input.input, lane, shown.at, shown.stopped_at);
  if (marks === null) return null;
  const { stopped, begin } = marks;
  const again = begin !== null && stopped !== null && begin < stopped ? [begin, stopped] : null;
  const skipped = begin !== null && stopped !== null && stopped < begin ? [stopped, begin] : null;
  const percent = (share: number) => `${100 * share}%`;
  const piece = (name: string, span: number[] | null) =>
    span === null ? null : (
      <span
        data-piece={name}
        style={{ left: percent(span[0] ?? 0), width: percent((span[1] ?? 0) - (span[0] ?? 0)) }}
      />
    );
  return (
    <span className="lane-line" aria-hidden="true">
      {piece("new", begin === null ? null : [Math.max(begin, stopped ?? begin), 1])}
      {piece("again", again)}
      {piece("skipped", skipped)}
      {stopped === null ? null : <i data-mark="stopped" style={{ left: percent(stopped) }} />}
      {begin === null ? null : <i data-mark="begin" style={{ left: percent(begin) }} />}
    </span>
  );
}

function Facts({ lane, shown }: { lane: LaneHeld; shown: TimelineShown }) {
  const { earliest, end } = lane;
  return (
    <p className="quiet small">
      {earliest != null && end != null ? `Holds the positions ${earliest} to ${end}. ` : null}
      {lane.from_at != null ? (
        <>
          Oldest from <Instant ticks={lane.from_at} />
          {lane.until_at != null ? (
            <>
              , newest from <Instant ticks={lane.until_at} />
            </>
          ) : null}
          .{" "}
        </>
      ) : null}
      {lane.stopped != null ? `The last run stopped at ${lane.stopped}` : "No run has stopped here"}
      {lane.stopped != null && lane.reach != null ? (
        <>
          , events up to <Instant ticks={lane.reach} />
        </>
      ) : null}
      {lane.stopped != null && shown.stopped_at != null ? (
        <>
          , on <Instant ticks={Math.floor(shown.stopped_at / 1_000_000) * 1_000_000} />
        </>
      ) : null}
      .
    </p>
  );
}

function Lane({ input, lane, chosen, shown }: LaneProps) {
  return (
    <li className="lane-held">
      {input.lanes.length > 1 ? <strong>Lane {lane.lane}</strong> : null}
      <LaneLine input={input} lane={lane} chosen={chosen} shown={shown} />
      <p className="small">{laneWords(chosen, input.input, lane)}</p>
      <Facts lane={lane} shown={shown} />
    </li>
  );
}

function Legend() {
  return (
    <p className="legend small quiet" aria-hidden="true">
      <span>
        <i data-piece="again" /> read again
      </span>
      <span>
        <i data-piece="skipped" /> left out
      </span>
      <span>
        <i data-piece="new" /> new
      </span>
      <span>
        <i data-mark="stopped" /> last stopped
      </span>
      <span>
        <i data-mark="begin" /> begins
      </span>
    </p>
  );
}

/** What counts for all lanes of an input: what is not known of it, what a time means, how rows are counted. */
function InputFacts({ input, chosen }: { input: InputHeld; chosen: Chosen }) {
  if (input.failure !== null)
    return (
      <Notice tone="unknown">
        <p>It is not known what this input holds: {input.failure}</p>
      </Notice>
    );
  return (
    <>
      {input.seeks ? null : (
        <p className="small">This input is read from its beginning, or where the last run stopped.</p>
      )}
      {chosen.kind === "time" && input.time_means !== null ? (
        <p className="small">Begins with the first row that {input.time_means}.</p>
      ) : null}
      {input.lanes.some((lane) => lane.at_most) ? (
        <p className="quiet small">
          Rows are counted by positions, from the earliest that is still there. Some positions hold no row, such as
          marks of transactions and what was compacted away, so that there may be fewer.
        </p>
      ) : null}
    </>
  );
}

function Asking({ input, stream, isAsked, isPending }: AskedInput) {
  if (isAsked)
    return (
      <Waiting>
        Asking {input === stream ? "" : "the stream "}
        <bdi>{stream}</bdi> what it holds… <Elapsed />
      </Waiting>
    );
  return isPending ? <p className="quiet small">It is asked when the input before it has answered.</p> : null;
}

function Input({ asked, chosen }: { asked: AskedInput; chosen: Chosen }) {
  const { shown } = asked;
  const input = shown?.inputs[0];
  return (
    <section aria-label={`Input ${asked.input}`}>
      <h3>{asked.input}</h3>
      <Asking {...asked} />
      {asked.isAsked ? null : <ErrorNote error={asked.error} onRetry={asked.retry} />}
      {shown === undefined || input === undefined ? null : <Answer shown={shown} input={input} chosen={chosen} />}
    </section>
  );
}

function Answer({ shown, input, chosen }: { shown: TimelineShown; input: InputHeld; chosen: Chosen }) {
  const refusal = refusalOf(chosen, input);
  if (refusal !== null)
    return (
      <Notice tone="bad">
        <p>{refusal}</p>
      </Notice>
    );
  return (
    <>
      <InputFacts input={input} chosen={chosen} />
      <ul className="lanes-held">
        {input.lanes.slice(0, LANES_DRAWN).map((lane) => (
          <Lane key={lane.lane} input={input} lane={lane} chosen={chosen} shown={shown} />
        ))}
      </ul>
      {input.lanes.length > LANES_DRAWN ? (
        <p className="quiet small">And {input.lanes.length - LANES_DRAWN} more lanes, which begin alike.</p>
      ) : null}
    </>
  );
}

function isDrawn({ shown }: AskedInput, chosen: Chosen): boolean {
  return (shown?.inputs ?? []).some(
    (input) =>
      refusalOf(chosen, input) === null &&
      input.lanes.some(
        (lane) => marksOf(chosen, input.input, lane, shown?.at ?? 0, shown?.stopped_at ?? null) !== null,
      ),
  );
}

/** What a run that begins where it is chosen reads of each input, again or for the first time. */
export function Timeline({ asked, chosen }: { asked: readonly AskedInput[]; chosen: Chosen }) {
  return (
    <div className="stack">
      {asked.map((each) => (
        <Input key={each.input} asked={each} chosen={chosen} />
      ))}
      {asked.some((each) => isDrawn(each, chosen)) ? <Legend /> : null}
    </div>
  );
}
