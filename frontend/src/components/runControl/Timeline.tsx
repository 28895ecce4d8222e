import type { CheckedInput } from "../../lib/resources/runControl";
import type { TimelineResponse } from "../../model/api";
import {
  type Chosen,
  type InputContents,
  type LaneContents,
  laneWords,
  marksOf,
  piecesOf,
  refusalOf,
} from "../../model/binding/timeline";
import { ErrorNote, Notice, Waiting } from "../notices/Notices";
import { Elapsed } from "../values/Elapsed";
import { Instant } from "../values/Instant";
import "./timeline.css";

const LANES_DRAWN = 12;

interface LaneProps {
  input: InputContents;
  lane: LaneContents;
  chosen: Chosen;
  shown: TimelineResponse;
}

/** A lane as a line from its earliest row to now; its facts appear next to it as text. */
function LaneLine({ input, lane, chosen, shown }: LaneProps) {
  const marks = marksOf(chosen, input.input, lane, shown.at, shown.stopped_at);
  if (marks === null) return null;
  const { stopped, begin } = marks;
  const percent = (share: number) => `${100 * share}%`;
  return (
    <span className="lane-line" aria-hidden="true">
      {piecesOf(marks).map(([piece, from, to]) => (
        <span key={piece} data-piece={piece} style={{ left: percent(from), width: percent(to - from) }} />
      ))}
      {stopped === null ? null : <i data-mark="stopped" style={{ left: percent(stopped) }} />}
      {begin === null ? null : <i data-mark="begin" style={{ left: percent(begin) }} />}
    </span>
  );
}

function Facts({ lane, shown }: { lane: LaneContents; shown: TimelineResponse }) {
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
        <i data-piece="skipped" /> skipped
      </span>
      <span>
        <i data-piece="new" /> new
      </span>
      <span>
        <i data-mark="stopped" /> last stopped
      </span>
      <span>
        <i data-mark="begin" /> start
      </span>
    </p>
  );
}

/** Facts about all lanes of an input: errors, the meaning of a time, and how rows are counted. */
function InputFacts({ input, chosen }: { input: InputContents; chosen: Chosen }) {
  if (input.failure !== null)
    return (
      <Notice tone="unknown">
        <p>The contents of this input are unknown: {input.failure}</p>
      </Notice>
    );
  return (
    <>
      {input.seeks ? null : (
        <p className="small">This input is read from the beginning, or from where the last run stopped.</p>
      )}
      {chosen.kind === "time" && input.time_means !== null ? (
        <p className="small">Starts with the first row that {input.time_means}.</p>
      ) : null}
      {input.lanes.some((lane) => lane.at_most) ? (
        <p className="quiet small">
          Rows are counted by positions, from the earliest that still exists. Some positions hold no row, for example
          transaction markers and compacted records, so there may be fewer.
        </p>
      ) : null}
    </>
  );
}

function Asking({ input, stream, isAsked, isPending }: CheckedInput) {
  if (isAsked)
    return (
      <Waiting>
        Checking the contents of {input === stream ? "" : "the stream "}
        <bdi>{stream}</bdi>… <Elapsed />
      </Waiting>
    );
  return isPending ? <p className="quiet small">It is checked after the previous input.</p> : null;
}

function Input({ asked, chosen }: { asked: CheckedInput; chosen: Chosen }) {
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

function Answer({ shown, input, chosen }: { shown: TimelineResponse; input: InputContents; chosen: Chosen }) {
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
        <p className="quiet small">And {input.lanes.length - LANES_DRAWN} more lanes, which start in the same way.</p>
      ) : null}
    </>
  );
}

function isDrawn({ shown }: CheckedInput, chosen: Chosen): boolean {
  return (shown?.inputs ?? []).some(
    (input) =>
      refusalOf(chosen, input) === null &&
      input.lanes.some(
        (lane) => marksOf(chosen, input.input, lane, shown?.at ?? 0, shown?.stopped_at ?? null) !== null,
      ),
  );
}

/** The rows that a run reads from each input, again or for the first time, with the chosen start position. */
export function Timeline({ asked, chosen }: { asked: readonly CheckedInput[]; chosen: Chosen }) {
  return (
    <div className="stack">
      {asked.map((each) => (
        <Input key={each.input} asked={each} chosen={chosen} />
      ))}
      {asked.some((each) => isDrawn(each, chosen)) ? <Legend /> : null}
    </div>
  );
}
