import { Panel } from "../../../components/page/Panel";
import { OutcomeMark } from "../../../components/values/Glyph";
import { meaningInRun, OUTCOMES } from "../../../model/run/outcomes";

const WORDS: readonly (readonly [string, string])[] = [
  ["C, CTI", "Current time increment of an input: everything before it is final. It never decreases."],
  ["M, largest start", "The largest event time that an input has received so far."],
  [
    "Late",
    "A row is late if its time is before the CTI of its lane when it arrives. A row exactly at the CTI is on time.",
  ],
  ["Lateness", "C minus the row's own time, for late rows only. Rows that are merely out of order have no lateness."],
  ["CTI lag", "M − C in event time; now − C out in wall clock."],
  ["C out, output CTI", "No later result will start before it."],
  [
    "Received",
    "All rows that arrived. Each has exactly one outcome, and the outcomes add up to this number. If a window later changes the outcome of a late row, the row is listed again; the newer entry counts.",
  ],
];

/** Definitions of the page's figures. */
export function Definitions() {
  return (
    <Panel title="Definitions" note="All times are event time in UTC unless marked as wall clock">
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
