import { useMemo } from "react";
import { Empty } from "../../../../components/notices/Notices";
import { Instant } from "../../../../components/values/Instant";
import { ATTEMPT_WORDS, attemptName, valuesWords } from "../../../../messages/simulation";
import { attemptGroups, type CurrentAttempt, type GroupAttempts, runsOf } from "../../../../model/simulation/attempts";
import { counted } from "../../../../model/text/counts";
import { usePosition } from "../position";
import { useSimulator } from "../view";
import "./sequences.css";

/** Runs of one variable, drawn one by one; the rows of longer ones are counted. */
const MOST_RUNS = 12;

function rowWords(rows: readonly number[]): string {
  return rows.length <= 3 ? rows.map((number) => `row ${number}`).join(", ") : counted(rows.length, "row");
}

/** The steps of an attempt: the rows that each variable took, then the variables that it waits for. */
function Steps({ current }: { current: CurrentAttempt }) {
  const { state, taken } = current;
  const runs = runsOf(taken);
  const hidden = Math.max(0, runs.length - MOST_RUNS);
  const next = state.status === "matched" ? [] : state.next;
  return (
    <ol className="sequence-steps">
      {hidden > 0 ? <li className="quiet">{counted(hidden, "earlier step")}</li> : null}
      {runs.slice(hidden).map(({ variable, rows, excluded }) => (
        <li key={`${variable} ${rows[0]}`} data-excluded={excluded || undefined}>
          <b>{variable}</b> {rowWords(rows)}
        </li>
      ))}
      {next.length === 0 ? null : (
        <li data-next={state.status}>
          <b>{next.join(" or ")}</b> {state.status === "open" ? "?" : "✕"}
          {state.ended_by.length === 0 ? "" : ` ${rowWords(state.ended_by)}`}
        </li>
      )}
    </ol>
  );
}

const MARKS = { matched: "●", failed: "✕", open: "◌" } as const;

function Attempt({ current }: { current: CurrentAttempt }) {
  const { selected, select } = useSimulator();
  const { attempt, state } = current;
  const chosen = selected?.kind === "attempt" && selected.id === attempt.id;
  return (
    <li className="sequence-attempt" data-status={state.status} data-selected={chosen || undefined}>
      <button
        type="button"
        className="sequence-name"
        aria-pressed={chosen}
        aria-label={`${attemptName(attempt)}: ${ATTEMPT_WORDS[state.status]}`}
        onClick={() => select(chosen ? null : { kind: "attempt", id: attempt.id })}
      >
        <span aria-hidden="true">{MARKS[state.status]}</span> {ATTEMPT_WORDS[state.status]}
      </button>
      <span className="quiet small">
        <Instant ticks={attempt.start} />
      </span>
      <Steps current={current} />
      <p className="small">{state.why.slice(1).join(" ")}</p>
    </li>
  );
}

function Group({ group }: { group: GroupAttempts }) {
  const { shown, notStarted } = group;
  const values = valuesWords(group.group);
  const open = shown.filter(({ state }) => state.status === "open").length;
  const matches = shown.filter(({ state }) => state.status === "matched").length;
  return (
    <section className="sequence-group" aria-label={`${group.node} ${values}`.trim()}>
      <h4>
        {values === "" ? "All rows" : values}
        <span className="quiet">
          {counted(matches, "match", "matches")}, {counted(open, "open attempt")}
        </span>
      </h4>
      {shown.length === 0 ? null : (
        <ul>
          {shown.map((current) => (
            <Attempt key={current.attempt.id} current={current} />
          ))}
        </ul>
      )}
      {notStarted.length === 0 ? null : (
        <details className="small">
          <summary>{counted(notStarted.length, "row starts", "rows start")} no match</summary>
          <ul>
            {notStarted.map(({ attempt, state }) => (
              <li key={attempt.id}>{state.why.join(" ")}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** The attempts of all sequences at the position of the line: matches, partial matches, and what decides them. */
export function SequencesTab() {
  const { simulation } = useSimulator();
  const position = usePosition();
  const groups = useMemo(() => attemptGroups(simulation.attempts, position), [simulation, position]);
  const nodes = [...new Set(groups.map(({ node }) => node))];
  if (groups.length === 0) {
    return (
      <Empty title="No attempt yet">
        <p>An attempt begins at a row that the CTI has passed. Move the line to a later row.</p>
      </Empty>
    );
  }
  return (
    <div className="stack">
      {nodes.map((node) => (
        <section key={node} className="sequence-node">
          <h3>
            <code>{node}</code>
          </h3>
          {groups
            .filter((group) => group.node === node)
            .map((group) => (
              <Group key={JSON.stringify(group.group)} group={group} />
            ))}
        </section>
      ))}
    </div>
  );
}
