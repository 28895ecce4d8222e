import { OutcomeMark } from "../../components/Glyph";
import { Panel } from "../../components/Panel";
import { meaningInRun, OUTCOMES } from "../../model/outcomes";

const WORDS: readonly (readonly [string, string])[] = [
  ["C, CTI", "Current time increment of an input: everything before it is final. It never moves back."],
  ["M, largest start", "The largest event time that an input has shown so far."],
  [
    "Late",
    "A row is late when its time is before the CTI of its lane at the moment it arrives. At the CTI is in time.",
  ],
  ["Lateness", "C minus the row's own time, for late rows only. Rows that are merely out of order have none."],
  ["CTI lag", "M − C by event time; now − C out by wall clock."],
  ["C out, output CTI", "No later result will start before it."],
  [
    "Received",
    "Every row that arrived. Each has exactly one outcome, and the outcomes add up to it. A late row whose outcome a window changes later is listed once more: the newer entry counts.",
  ],
];

/** What the figures on this page mean. */
export function Definitions() {
  return (
    <Panel title="What the figures mean" note="All times are event time in UTC unless they say wall clock.">
      <div className="two">
        <dl className="facts start">
          {WORDS.map(([word, meaning]) => (
            <div key={word} className="fact-pair">
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <dl className="facts start">
          {OUTCOMES.map((outcome) => (
            <div key={outcome} className="fact-pair">
              <dt>
                <OutcomeMark outcome={outcome} />
              </dt>
              <dd>{meaningInRun(outcome)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Panel>
  );
}
