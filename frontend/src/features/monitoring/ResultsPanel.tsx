import { useState } from "react";
import { Instant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { Value } from "../../components/Value";
import { useKeptByRun } from "../../lib/keptByRun";
import { counted } from "../../lib/numbers";
import type { ResultShown, RunShown } from "../../model/api";

import { type Column, columnsOf, hasColumn } from "../../model/columns";
import { repairedWords, whoRepaired } from "../../model/repairs";
import { COLUMNS_MEAN, incompleteWords, lacks, standing, standingNote } from "../../model/standing";
import { formatInstant } from "../../model/ticks";

import { More, Newer } from "./paging";
import { useFollowing, useResults } from "./requests";
import { NotKept, RunCell, type RunScope, ScopeChoice } from "./scope";
import { useWhyAsked, WhyDialog } from "./WhyAsked";

function Cell({ row, column: { name, decimals } }: { row: ResultShown; column: Column }) {
  if (lacks(row, name))
    return (
      <span title={COLUMNS_MEAN}>
        <span className="quiet small">incomplete</span> <Value value={row.payload[name]} decimals={decimals} />
      </span>
    );
  if (hasColumn(row.payload, name)) return <Value value={row.payload[name]} decimals={decimals} />;
  return (
    <span className="quiet" title="The output, in the version of this run, has no such column">
      –
    </span>
  );
}

function StandingCell({ row }: { row: ResultShown }) {
  return (
    <td className="nowrap" title={incompleteWords(row)}>
      {row.repaired ? (
        <>
          <p>{repairedWords(row)}</p>
          <p className="quiet small">{whoRepaired(row)}</p>
        </>
      ) : (
        standing(row)
      )}
    </td>
  );
}

function WhyCell({ row }: { row: ResultShown }) {
  const { ask } = useWhyAsked();
  return (
    <td>
      <button
        type="button"
        className="link"
        aria-label={`Why the row of ${row.output} at ${formatInstant(row.start)} is so`}
        onClick={() => ask({ kind: "row", id: row.id })}
      >
        Why?
      </button>
    </td>
  );
}

/** Asks about the time of the newest row first: who misses a row misses one near it. */
function WhyNone({ rows }: { rows: readonly ResultShown[] }) {
  const { ask } = useWhyAsked();
  const [newest] = rows;
  const place = { kind: "place", at: "", field: "", value: "" } as const;
  return (
    <button type="button" className="button" onClick={() => ask({ ...place, output: newest?.output ?? "" })}>
      Why is there no row…
    </button>
  );
}

interface TableProps {
  rows: readonly ResultShown[];
  run: RunShown;
  scope: RunScope;
}

function ResultTable({ rows, run, scope }: TableProps) {
  const columns = columnsOf(rows.map((row) => row.payload));
  const known = useKeptByRun(run.binding, scope === "all");
  const severalOutputs = new Set(rows.map((row) => row.output)).size > 1;
  const notFinal = rows.some((row) => row.key || row.incomplete || row.repaired);
  return (
    <Scroll label="Table of results" tall>
      <table>
        <thead>
          <tr>
            {scope === "all" ? <th>Run, started (UTC)</th> : null}
            {severalOutputs ? <th>Output</th> : null}
            <th>Start (UTC)</th>
            <th>End (UTC)</th>
            {notFinal ? <th>Standing</th> : null}
            {columns.map(({ name, numeric }) => (
              <th key={name} className={numeric ? "num" : undefined}>
                {name}
              </th>
            ))}
            <th>
              <span className="visually-hidden">Why</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {scope === "all" ? (
                <td className="nowrap">
                  <RunCell of={row.run} here={run.id} known={known} />
                </td>
              ) : null}
              {severalOutputs ? <td>{row.output}</td> : null}
              <td>
                <Instant ticks={row.start} />
              </td>
              <td>
                <Instant ticks={row.end} />
              </td>
              {notFinal ? <StandingCell row={row} /> : null}
              {columns.map((column) => (
                <td key={column.name} className={column.numeric ? "num" : undefined}>
                  <Cell row={row} column={column} />
                </td>
              ))}
              <WhyCell row={row} />
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function NoResults({ total, scope }: { total: number; scope: RunScope }) {
  return total > 0 && scope === "own" ? (
    <Empty title="The results of this run are no longer kept.">
      <NotKept />
    </Empty>
  ) : (
    <Empty title={scope === "own" ? "No result is final yet." : "No result of any run is kept."}>
      <p>Results come once the CTI has passed what they wait for, such as the end of a window.</p>
    </Empty>
  );
}

function whose(rows: readonly ResultShown[], total: number, scope: RunScope): string {
  if (scope === "all") return "Rows of all runs";
  const repairs = rows.some((row) => row.repaired) ? ", and those that repairs gave" : "";
  return `${counted(total, "row")} of this run${repairs}`;
}

/** Committed results, newest first: final ones, and those that say that another row may take their place. */
export function ResultsPanel({ run, total }: { run: RunShown; total: number }) {
  const [scope, setScope] = useState<RunScope>("own");
  const { pages, key } = useResults(run.id, scope);
  const { ref, behind, newer, toNewest } = useFollowing(pages, key, total);
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  const none = pages.isSuccess && rows.length === 0 && !pages.hasNextPage;
  return (
    <Panel
      title="Results"
      note={`${whose(rows, total, scope)}, newest first. ${standingNote(rows, pages.hasNextPage)}`}
      actions={
        <>
          <Newer count={newer} onShow={toNewest} />
          <ScopeChoice value={scope} onChange={setScope} />
          <WhyNone rows={rows} />
        </>
      }
      flush
    >
      <div ref={ref} />
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      {pages.isPending || (behind && none && total > 0) ? <Waiting>Loading the results…</Waiting> : null}
      {none && !(behind && total > 0) ? <NoResults total={total} scope={scope} /> : null}
      {rows.length > 0 ? <ResultTable rows={rows} run={run} scope={scope} /> : null}
      <More pages={pages} what="older results" />
      <WhyDialog run={run} rows={rows} />
    </Panel>
  );
}
