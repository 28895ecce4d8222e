import { type ReactNode, useMemo } from "react";
import { Sentences, WhyCard } from "../../../../components/why/WhyCard";
import {
  ATTEMPT_WORDS,
  attemptName,
  outcomeWords,
  PHASE_WORDS,
  paneName,
  resultWords,
  rowSentence,
  spanWords,
  valuesWords,
} from "../../../../messages/simulation";
import { isOutcome, OUTCOME_WORDS } from "../../../../model/run/outcomes";
import { withDelay } from "../../../../model/simulation/advanceEdits";
import { attemptAt, rowsOfAttempt } from "../../../../model/simulation/attempts";
import { lastPosition, paneAt } from "../../../../model/simulation/currentState";
import { copyRow, removeRow } from "../../../../model/simulation/sample/sample";
import type { SimulatedAttempt, SimulatedPane, SimulatedRow, TrackRow } from "../../../../model/simulation/types";
import { counted } from "../../../../model/text/counts";
import { formatSpan } from "../../../../model/time/ticks";
import { usePosition } from "../position";
import { attemptOf, paneOf, resultOf } from "../timeline/links";
import { shapeOfRow, toneOf } from "../timeline/RowShape";
import { rowOfKey, type Selected, type SimulatorView, useSimulator } from "../view";
import { WhyNoResult } from "./WhyNoResult";

function Card(props: { title: ReactNode; tone?: string; children: ReactNode }) {
  return <WhyCard className="sim-why" {...props} />;
}

/** Links to rows of the sample. */
function RowLinks({ title, numbers }: { title: string; numbers: readonly number[] }) {
  const { simulation, keys, select } = useSimulator();
  if (numbers.length === 0) return null;
  return (
    <div>
      <h4>{title}</h4>
      <ul className="sim-links">
        {numbers.map((number) => {
          const row = simulation.rows[number - 1];
          const key = keys[number - 1];
          if (row === undefined || key === undefined) return null;
          return (
            <li key={number}>
              <button
                type="button"
                className="link"
                title={rowSentence(row)}
                onClick={() => select({ kind: "row", key })}
              >
                row {number}
              </button>
              <span style={{ color: toneOf(row) }}>{outcomeWords(row)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function ResultLinks({ title, results }: { title: string; results: readonly TrackRow[] }) {
  const { select, times } = useSimulator();
  if (results.length === 0) return null;
  return (
    <div>
      <h4>{title}</h4>
      <ul className="sim-links">
        {results.map((row) => (
          <li key={row.id}>
            <button type="button" className="link" onClick={() => select({ kind: "result", id: row.id })}>
              {row.node} {spanWords(row.start, row.closed_after === null ? row.end : row.closed_end, times)}
            </button>
            <span>{row.deleted ? `retracted: ${resultWords(row)}` : resultWords(row)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function PaneLinks({ title, panes }: { title: string; panes: readonly SimulatedPane[] }) {
  const { select, times, simulation } = useSimulator();
  if (panes.length === 0) return null;
  return (
    <div>
      <h4>{title}</h4>
      <ul className="sim-links">
        {panes.map((pane) => (
          <li key={pane.id}>
            <button type="button" className="link" onClick={() => select({ kind: "pane", id: pane.id })}>
              {paneName(pane)} {spanWords(pane.start, pane.end, times)}
            </button>
            <span>{valuesWords(paneAt(pane, lastPosition(simulation))?.values ?? {})}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function rowTitle(row: SimulatedRow): string {
  const as = row.input === null || row.input === row.stream ? "" : ` as ${row.input}`;
  return `Row ${row.number}${as}: ${outcomeWords(row)}`;
}

function RowActions({ row, rowKey }: { row: SimulatedRow; rowKey: string }) {
  const { edits, editRow, readOnly, showTab, tryAdvance, advance, select } = useSimulator();
  const { smallest_delay: delay, input } = row;
  return (
    <p className="row">
      {delay !== null && input !== null ? (
        <button
          type="button"
          className="button"
          data-kind="primary"
          onClick={() => tryAdvance(input, withDelay(advance[input], delay))}
        >
          Try {formatSpan(delay)}
        </button>
      ) : null}
      {row.lateness !== null && row.lateness > 0 ? (
        <button type="button" className="button" onClick={() => showTab("policies")}>
          Compare policies
        </button>
      ) : null}
      {readOnly ? null : (
        <>
          <button type="button" className="button" onClick={() => editRow(rowKey)}>
            Edit…
          </button>
          <button type="button" className="button" onClick={() => edits.edit((sample) => copyRow(sample, rowKey))}>
            Copy
          </button>
          <button
            type="button"
            className="button"
            onClick={() => {
              select(null);
              edits.edit((sample) => removeRow(sample, rowKey));
            }}
          >
            Delete
          </button>
        </>
      )}
    </p>
  );
}

function Changed({ rowKey }: { rowKey: string }) {
  const { differences } = useSimulator();
  const change = differences?.outcomes.find(({ key }) => key === rowKey);
  if (change === undefined) return null;
  return (
    <p className="sim-changed-words">
      Before the last change: {change.before.outcome === null ? "no outcome" : outcomeWords(change.before)}.
    </p>
  );
}

function AttemptLinks({ title, attempts }: { title: string; attempts: readonly SimulatedAttempt[] }) {
  const { select } = useSimulator();
  if (attempts.length === 0) return null;
  return (
    <div>
      <h4>{title}</h4>
      <ul className="sim-links">
        {attempts.map((attempt) => (
          <li key={attempt.id}>
            <button type="button" className="link" onClick={() => select({ kind: "attempt", id: attempt.id })}>
              {attemptName(attempt)}
            </button>
            <span>{ATTEMPT_WORDS[attempt.states.at(-1)?.status ?? "open"]}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function WhyAttempt({ attempt }: { attempt: SimulatedAttempt }) {
  const { simulation } = useSimulator();
  const current = attemptAt(attempt, usePosition());
  const results = simulation.tracks.flatMap((track) => track.rows.filter((row) => attempt.results.includes(row.id)));
  return (
    <Card title={attemptName(attempt)}>
      {current === null ? (
        <p>Not started yet: its first row is not known at this position.</p>
      ) : (
        <>
          <p className="why-value">
            <strong>{ATTEMPT_WORDS[current.state.status]}</strong>
          </p>
          <Sentences why={current.state.why} />
          <RowLinks title="Rows that it took" numbers={current.taken.flatMap(({ rows }) => rows)} />
          <RowLinks title="Ended at" numbers={current.state.ended_by} />
        </>
      )}
      <ResultLinks title="Results" results={results} />
    </Card>
  );
}

function WhyRow({ row, rowKey }: { row: SimulatedRow; rowKey: string }) {
  const { simulation } = useSimulator();
  const outputs = new Set(simulation.tracks.filter((track) => track.kind === "output").map((track) => track.node));
  const results = simulation.tracks
    .filter((track) => outputs.has(track.node))
    .flatMap((track) => track.rows.filter((each) => each.rows.includes(row.number) && !each.deleted));
  const last = lastPosition(simulation);
  const holding = simulation.panes.filter((pane) => paneAt(pane, last)?.rows.includes(row.number));
  const missing = simulation.panes.filter((pane) => pane.missed.includes(row.number));
  const meaning = row.outcome !== null && isOutcome(row.outcome) ? OUTCOME_WORDS[row.outcome].meaning : null;
  return (
    <Card
      tone={toneOf(row)}
      title={
        <>
          <svg width="14" height="14" viewBox="0 0 12 12" aria-hidden="true">
            <path d={shapeOfRow(row)} fill="currentColor" fillRule="evenodd" />
          </svg>{" "}
          <span title={meaning ?? undefined}>{rowTitle(row)}</span>
        </>
      }
    >
      <Changed rowKey={rowKey} />
      <Sentences why={row.why} />
      <RowActions row={row} rowKey={rowKey} />
      {row.set_by === null ? null : <RowLinks title="Its CTI was set by" numbers={[row.set_by]} />}
      <PaneLinks title="Counted in" panes={holding} />
      <PaneLinks title="Would have counted in" panes={missing} />
      <AttemptLinks
        title="Attempts of sequences"
        attempts={simulation.attempts.filter((each) => rowsOfAttempt(each).includes(row.number))}
      />
      <ResultLinks title="Results that contain it" results={results} />
    </Card>
  );
}

function WhyPane({ pane }: { pane: SimulatedPane }) {
  const { simulation, times, select, differences } = useSimulator();
  const position = usePosition();
  const state = paneAt(pane, position);
  const sameTimes = simulation.panes.filter(
    (each) => each.id !== pane.id && each.node === pane.node && each.start === pane.start && each.end === pane.end,
  );
  const spoken = useMemo(
    () => simulation.tracks.flatMap((track) => track.rows.filter((row) => pane.spoke.includes(row.id))),
    [simulation, pane],
  );
  const was = differences?.panes.get(pane.id);
  return (
    <Card
      title={`${paneName(pane)} ${spanWords(state?.start ?? pane.start, state === null ? pane.end : state.end, times)}`}
    >
      {state === null ? (
        <p>Not created yet: none of its rows has arrived.</p>
      ) : (
        <p className="why-value">
          <strong>{valuesWords(state.values)}</strong> {PHASE_WORDS[state.phase]}
        </p>
      )}
      {was === undefined ? null : (
        <p className="sim-changed-words">Before the last change: {valuesWords(was)} at the end.</p>
      )}
      <Sentences why={pane.why} />
      <RowLinks title={`From ${counted(state?.rows.length ?? 0, "row")}`} numbers={state?.rows ?? []} />
      <RowLinks title={`Without ${counted(pane.missed.length, "row")} that would have counted`} numbers={pane.missed} />
      <ResultLinks title="Results" results={spoken} />
      <PaneLinks title="Other groups at the same time" panes={sameTimes} />
      <p>
        <button type="button" className="link" onClick={() => select(null)}>
          Close
        </button>
      </p>
    </Card>
  );
}

function WhyResult({ row }: { row: TrackRow }) {
  const { simulation, times, differences } = useSimulator();
  const end = row.closed_after === null ? row.end : row.closed_end;
  const all = simulation.tracks.flatMap((track) => track.rows);
  const parentIds = new Set(row.parents);
  const parents = all.filter((each) => row.parents.includes(each.id));
  const children = all.filter((each) => each.parents.includes(row.id));
  const pane = simulation.panes.filter((each) => each.spoke.includes(row.id));
  const change = differences?.results.changed.find(({ after }) => after.id === row.id);
  return (
    <Card title={`${row.node} ${spanWords(row.start, end, times)}`}>
      <p className="why-value">
        <strong>{resultWords(row)}</strong>
      </p>
      {change === undefined ? null : (
        <p className="sim-changed-words">
          Before the last change:{" "}
          {valuesWords(Object.fromEntries(change.fields.map((name) => [name, change.before.payload[name]])))}.
        </p>
      )}
      <Sentences why={row.why} />
      <PaneLinks title="From pane" panes={pane} />
      <AttemptLinks
        title="Match of"
        attempts={simulation.attempts.filter((each) => each.results.some((id) => id === row.id || parentIds.has(id)))}
      />
      <RowLinks title={`From ${counted(row.rows.length, "row")} of the sample`} numbers={row.rows} />
      <ResultLinks title="From results" results={parents} />
      <ResultLinks title="Used by" results={children} />
      {row.released_by === null ? null : <RowLinks title="Emitted when this row arrived" numbers={[row.released_by]} />}
    </Card>
  );
}

/** Return the explanation of the selected item; null if the simulation no longer has it. */
function explanationOf(view: SimulatorView, selected: Selected): ReactNode {
  const { simulation } = view;
  switch (selected.kind) {
    case "row": {
      const row = rowOfKey(view, selected.key);
      return row && <WhyRow row={row} rowKey={selected.key} />;
    }
    case "pane": {
      const pane = paneOf(simulation, selected.id);
      return pane && <WhyPane pane={pane} />;
    }
    case "result": {
      const row = resultOf(simulation, selected.id);
      return row && <WhyResult row={row} />;
    }
    case "attempt": {
      const attempt = attemptOf(simulation, selected.id);
      return attempt && <WhyAttempt attempt={attempt} />;
    }
    case "place":
      return <WhyNoResult node={selected.node} at={selected.at} />;
  }
}

/** The explanation of the selected item, with links to its sources and to its results. */
export function WhyPanel() {
  const view = useSimulator();
  const { selected } = view;
  const explanation = selected === null ? null : explanationOf(view, selected);
  if (explanation !== null) return explanation;
  return (
    <Card title="Explanation">
      <p className="quiet">Select a row, a pane or a result to see which rows it contains and which are missing.</p>
    </Card>
  );
}
