import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { Panel } from "../../components/page/Panel";
import { Scroll } from "../../components/page/Scroll";
import { useSlug } from "../../lib/account/session";
import { useMedia } from "../../lib/browser/media";
import { counted, formatCount } from "../../lib/numbers";
import type { HomeResponse, HomeRow } from "../../model/api";
import { actionPage, CONDITION_WORDS } from "../../model/live/conditions";
import { alertsAreDecided, grouped, inColumns, inHeldOrder } from "../../model/live/home";
import { formatInstant, type Ticks } from "../../model/time/ticks";
import { BudgetCell } from "./BudgetCell";
import { AlertCell, ConditionMark, DeliveryCell, LagLine, lagWords, NotInTimeBar, OwnerMark, rateWords } from "./cells";

/** The rows of a page of the server. */
const PAGE = 50;

/** Hold the order of rows while the pointer is over them. */
function useHeldOrder(rows: readonly HomeRow[]) {
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const shown = inHeldOrder(rows, held);
  const latest = useRef(shown);
  latest.current = shown;
  const hold = () => setHeld(latest.current.map(({ binding }) => binding));
  return { shown, holding: { onPointerEnter: hold, onPointerLeave: () => setHeld(null) } };
}

function QueryLink({ row }: { row: HomeRow }) {
  const slug = useSlug();
  return (
    <Link
      data-row
      to={`/t/${slug}/live/${row.binding}`}
      title={`Version ${row.version}${row.tags.length > 0 ? `; ${row.tags.join(", ")}` : ""}`}
    >
      {row.name}
    </Link>
  );
}

function Action({ row }: { row: HomeRow }) {
  const slug = useSlug();
  return (
    <Link className="row-action" to={`/t/${slug}/${actionPage(row)}`}>
      {CONDITION_WORDS[row.condition].action}
      <span className="visually-hidden"> of {row.name}</span>
    </Link>
  );
}

function Sentence({ row }: { row: HomeRow }) {
  return (
    <>
      {row.sentence}
      {row.others > 0 ? <span className="quiet"> +{counted(row.others, "more finding")}</span> : null}
    </>
  );
}

interface RowProps {
  row: HomeRow;
  now: Ticks;
}

function AttentionRow({ row, now }: RowProps) {
  const { tone } = CONDITION_WORDS[row.condition];
  return (
    <tr data-tone={tone}>
      <td className="nowrap">
        <ConditionMark row={row} />
      </td>
      <th scope="row">
        <QueryLink row={row} />
      </th>
      <td className="why">
        <Sentence row={row} />
      </td>
      <td className="nowrap lag">
        <LagLine row={row} /> <strong>{lagWords(row)}</strong>
      </td>
      <td className="num">{rateWords(row)}</td>
      <td className="nowrap">
        <NotInTimeBar row={row} />
      </td>
      <td className="nowrap">
        <BudgetCell row={row} now={now} />
      </td>
      <td>
        <DeliveryCell row={row} />
      </td>
      <td className="nowrap">
        <AlertCell row={row} />
      </td>
      <td>
        <OwnerMark owner={row.owner} />
      </td>
      <td className="nowrap act">
        <Action row={row} />
      </td>
    </tr>
  );
}

interface RowsProps {
  rows: readonly HomeRow[];
  now: Ticks;
}

function AttentionTable({ rows, now }: RowsProps) {
  return (
    <Scroll label="Table of queries that need attention">
      <table className="dense">
        <thead>
          <tr>
            <th>State</th>
            <th>Query</th>
            <th>What is wrong</th>
            <th>Lag, 24 h and now</th>
            <th className="num">Rows/s</th>
            <th>Not in time</th>
            <th title="Rows that may still be lost · minutes in which results may still be late">Budget left</th>
            <th title="Outputs that deliver">Deliveries</th>
            <th>Alerts</th>
            <th>Owner</th>
            <th className="act">Action</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <AttentionRow key={row.binding} row={row} now={now} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Card({ row, now }: RowProps) {
  return (
    <li className="query-card" data-tone={CONDITION_WORDS[row.condition].tone}>
      <p className="row">
        <ConditionMark row={row} />
        <strong>
          <QueryLink row={row} />
        </strong>
        <span className="end">
          <OwnerMark owner={row.owner} />
        </span>
      </p>
      <p>
        <Sentence row={row} />
      </p>
      <p className="row">
        <span className="lag">
          <LagLine row={row} /> <strong>{lagWords(row)}</strong>
        </span>
        <BudgetCell row={row} now={now} />
        <AlertCell row={row} />
        <span className="end">
          <Action row={row} />
        </span>
      </p>
    </li>
  );
}

function HealthyTable({ rows, now, label }: RowsProps & { label: string }) {
  return (
    <Scroll label={label}>
      <table className="dense">
        <thead>
          <tr>
            <th>Query</th>
            <th>Lag, 24 h</th>
            <th className="num">Now</th>
            <th className="num">Rows/s</th>
            <th>Not in time</th>
            <th title="Rows that may still be lost · minutes in which results may still be late">Budget left</th>
            <th>Deliveries</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.binding}>
              <th scope="row" className="nowrap">
                <span className="healthy-mark" aria-hidden="true" />
                <QueryLink row={row} />
              </th>
              <td>
                <LagLine row={row} />
              </td>
              <td className="num nowrap">{lagWords(row)}</td>
              <td className="num">{rateWords(row)}</td>
              <td className="nowrap">
                <NotInTimeBar row={row} />
              </td>
              <td className="nowrap">
                <BudgetCell row={row} now={now} />
              </td>
              <td>
                <DeliveryCell row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function HealthyRows({ rows, now }: RowsProps) {
  return (
    <ul>
      {rows.map((row) => (
        <li key={row.binding} className="healthy-row">
          <span className="healthy-mark" aria-hidden="true" />
          <QueryLink row={row} />
          <LagLine row={row} />
          <span className="figures">{lagWords(row)}</span>
          <BudgetCell row={row} now={now} />
        </li>
      ))}
    </ul>
  );
}

/** The line in place of the group: a healthy organisation only if everything is known. */
function quietWords(home: HomeResponse): string {
  const ended =
    home.ended_at === null ? "" : ` The last alert ended at ${formatInstant(home.ended_at).slice(0, 16)} UTC.`;
  return `Every listed query is healthy.${ended}`;
}

function Undecided({ home }: { home: HomeResponse }) {
  if (alertsAreDecided(home)) return null;
  const since = home.decided_at === null ? "yet" : `since ${formatInstant(home.decided_at).slice(0, 19)} UTC`;
  return <p className="undecided">Alerts are unknown: no rule has been decided {since}.</p>;
}

function Attention({ home, rows }: { home: HomeResponse; rows: readonly HomeRow[] }) {
  const narrow = useMedia("(max-width: 760px)");
  const { shown, holding } = useHeldOrder(rows);
  const whole = home.listed - (home.tiles.conditions.healthy ?? 0);
  const decided = alertsAreDecided(home);
  if (whole === 0) {
    return (
      <Panel title="Needs attention">
        <Undecided home={home} />
        <p>{decided ? quietWords(home) : "As far as runs, rows and deliveries are known, nothing needs attention."}</p>
      </Panel>
    );
  }
  return (
    <Panel
      title={`Needs attention: ${whole}`}
      note="First what gets worse while you wait; then the least loss budget left"
      flush
    >
      <Undecided home={home} />
      <div {...holding}>
        {narrow ? (
          <ul>
            {shown.map((row) => (
              <Card key={row.binding} row={row} now={home.now} />
            ))}
          </ul>
        ) : (
          <AttentionTable rows={shown} now={home.now} />
        )}
      </div>
    </Panel>
  );
}

function useColumns(): number {
  const two = useMedia("(min-width: 1320px)");
  const three = useMedia("(min-width: 1800px)");
  return three ? 3 : two ? 2 : 1;
}

function Healthy({ home, rows }: { home: HomeResponse; rows: readonly HomeRow[] }) {
  const narrow = useMedia("(max-width: 760px)");
  const columns = useColumns();
  const { shown, holding } = useHeldOrder(rows);
  const parts = inColumns(shown, shown.length < 2 * columns ? 1 : columns);
  return (
    <Panel
      title={`Healthy: ${home.tiles.conditions.healthy ?? 0}`}
      note="Not in time: adjusted, shifted, kept late, dropped or malformed in the last 15 minutes; a full bar is 5 %"
      flush
    >
      <div className="healthy-columns" {...holding}>
        {narrow ? (
          <HealthyRows rows={shown} now={home.now} />
        ) : (
          parts.map((part, index) => (
            <HealthyTable
              key={part[0]?.binding}
              rows={part}
              now={home.now}
              label={index === 0 ? "Table of healthy queries" : `Table of healthy queries, part ${index + 1}`}
            />
          ))
        )}
      </div>
    </Panel>
  );
}

/** Links to other pages of rows; nothing if one page has all. */
function Pages({ home, skip, onSkip }: { home: HomeResponse; skip: number; onSkip: (skip: number) => void }) {
  const last = Math.min(home.listed, skip + home.rows.length);
  useEffect(() => {
    if (home.rows.length === 0 && skip > 0) onSkip(0); // fewer queries are listed than before
  }, [home.rows.length, skip, onSkip]);
  if (home.listed <= PAGE) return null;
  return (
    <p className="row">
      <span className="quiet">
        {formatCount(skip + 1)} to {formatCount(last)} of {counted(home.listed, "query", "queries")}
      </span>
      <button type="button" className="button" disabled={skip === 0} onClick={() => onSkip(Math.max(0, skip - PAGE))}>
        Previous {PAGE}
      </button>
      <button type="button" className="button" disabled={last >= home.listed} onClick={() => onSkip(skip + PAGE)}>
        Next {PAGE}
      </button>
    </p>
  );
}

function Idle({ home }: { home: HomeResponse }) {
  const slug = useSlug();
  const { never, stopped, completed } = home.idle;
  if (never + stopped + completed === 0) return null;
  const parts = [`${stopped} stopped`, `${completed} completed`, `${never} never started`];
  return (
    <p className="quiet small">
      Not running: {parts.join(", ")}. <Link to={`/t/${slug}/runs`}>Start one</Link>
    </p>
  );
}

interface GroupsProps {
  home: HomeResponse;
  skip: number;
  onSkip: (skip: number) => void;
}

/** The live queries in two groups: those that need attention, worst first, and the healthy ones. */
export function QueryGroups({ home, skip, onSkip }: GroupsProps): ReactNode {
  const { attention, healthy } = grouped(home.rows);
  if (home.listed === 0) return <p className="quiet">No live query matches these filters.</p>;
  return (
    <>
      {skip === 0 || attention.length > 0 ? <Attention home={home} rows={attention} /> : null}
      {healthy.length > 0 ? <Healthy home={home} rows={healthy} /> : null}
      <Pages home={home} skip={skip} onSkip={onSkip} />
      <Idle home={home} />
    </>
  );
}
