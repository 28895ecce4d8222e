import { useState } from "react";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { KeyList } from "../../../components/page/KeyList";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { Instant } from "../../../components/values/Instant";
import { Value } from "../../../components/values/Value";
import { counted } from "../../../lib/numbers";
import { useStoredRowsByRun } from "../../../lib/resources/storedRows";
import { repairedWords, whoRepaired } from "../../../messages/results/repairs";
import {
  COLUMNS_MEAN,
  incompleteWords,
  isIncompleteColumn,
  rowMark,
  rowsNote,
} from "../../../messages/results/rowMarks";
import type { ResultResponse, RunResponse } from "../../../model/api";
import { type Column, columnsOf, hasColumn } from "../../../model/results/columns";
import { formatInstant } from "../../../model/time/ticks";

import { More, Newer } from "../paging";
import { useFollowing, useResults } from "../requests";
import { NotKept, RunCell, type RunScope, ScopeChoice } from "../scope";
import { ReadSnippets } from "./ReadSnippets";
import { ResultExport } from "./ResultExport";
import { useResultKeys } from "./resultKeys";
import { useWhyRequest, WhyDialog } from "./WhyRequest";

function Cell({ row, column: { name, decimals } }: { row: ResultResponse; column: Column }) {
  if (isIncompleteColumn(row, name))
    return (
      <span title={COLUMNS_MEAN}>
        <span className="quiet small">incomplete</span> <Value value={row.payload[name]} decimals={decimals} />
      </span>
    );
  if (hasColumn(row.payload, name)) return <Value value={row.payload[name]} decimals={decimals} />;
  return (
    <span className="quiet" title="In the version of this run, the output has no such column">
      –
    </span>
  );
}

function StandingCell({ row }: { row: ResultResponse }) {
  return (
    <td className="nowrap" title={incompleteWords(row)}>
      {row.repaired ? (
        <>
          <p>{repairedWords(row)}</p>
          <p className="quiet small">{whoRepaired(row)}</p>
        </>
      ) : (
        rowMark(row)
      )}
    </td>
  );
}

function WhyCell({ row }: { row: ResultResponse }) {
  const { ask } = useWhyRequest();
  return (
    <td>
      <button
        type="button"
        className="link"
        data-key="w"
        aria-label={`Why the row of ${row.output} at ${formatInstant(row.start)} is here`}
        onClick={() => ask({ kind: "row", id: row.id })}
      >
        Why?
      </button>
    </td>
  );
}

/** Explain a missing row. The default time is that of the newest row, because users usually miss a recent one. */
function WhyNone({ rows }: { rows: readonly ResultResponse[] }) {
  const { ask } = useWhyRequest();
  const [newest] = rows;
  const place = { kind: "place", at: "", field: "", value: "" } as const;
  return (
    <button type="button" className="button" onClick={() => ask({ ...place, output: newest?.output ?? "" })}>
      Find a missing row…
    </button>
  );
}

interface TableProps {
  rows: readonly ResultResponse[];
  run: RunResponse;
  scope: RunScope;
}

function ResultTable({ rows, run, scope }: TableProps) {
  const columns = columnsOf(rows.map((row) => row.payload));
  const known = useStoredRowsByRun(run.binding, scope === "all");
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
            {notFinal ? <th>State</th> : null}
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
    <Empty title="The results of this run are no longer stored">
      <NotKept />
    </Empty>
  ) : (
    <Empty title={scope === "own" ? "No final results yet" : "No results of any run are stored"}>
      <p>Results appear when the CTI passes, for example, the end of their window.</p>
    </Empty>
  );
}

function whose(rows: readonly ResultResponse[], total: number, scope: RunScope): string {
  if (scope === "all") return "Rows of all runs";
  const repairs = rows.some((row) => row.repaired) ? ", including repairs" : "";
  return `${counted(total, "row")} of this run${repairs}`;
}

/** Committed results, newest first: final ones, and ones that may still be replaced. */
export function ResultsPanel({ run, total }: { run: RunResponse; total: number }) {
  const [scope, setScope] = useState<RunScope>("own");
  const { pages, key } = useResults(run.id, scope);
  const { ref, behind, newer, toNewest } = useFollowing(pages, key, total);
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  const keys = useResultKeys();
  const none = pages.isSuccess && rows.length === 0 && !pages.hasNextPage;
  return (
    <Panel
      title="Results"
      note={`${whose(rows, total, scope)}, newest first. ${rowsNote(rows, pages.hasNextPage)}`}
      actions={
        <>
          <Newer count={newer} onShow={toNewest} />
          <ScopeChoice value={scope} onChange={setScope} />
          <WhyNone rows={rows} />
          <ResultExport run={run} scope={scope} />
          <KeyList keys={keys} />
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
      <ReadSnippets run={run} />
      <WhyDialog run={run} rows={rows} />
    </Panel>
  );
}
