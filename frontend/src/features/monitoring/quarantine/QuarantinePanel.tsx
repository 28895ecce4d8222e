import { useState } from "react";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { OutcomeMark } from "../../../components/values/Glyph";
import { Instant } from "../../../components/values/Instant";
import { RawText } from "../../../components/values/RawText";
import { counted } from "../../../lib/numbers";
import { useStoredRowsByRun } from "../../../lib/resources/storedRows";
import { whoRepaired } from "../../../messages/results/repairs";
import { whyLate } from "../../../messages/results/whyLate";
import type { LateResponse, RunKeptResponse, RunResponse } from "../../../model/api";
import { EVERYTHING, lateQuery } from "../../../model/results/quarantineFilters";
import { isOutcome, OUTCOME_WORDS, reasonWords } from "../../../model/run/outcomes";
import { formatSpan } from "../../../model/time/ticks";
import { More, Newer } from "../paging";
import { useDefinition, useFollowing, useQuarantine } from "../requests";
import { NotKept, RunCell, type RunScope, ScopeChoice } from "../scope";
import { QuarantineExport } from "./QuarantineExport";
import { QuarantineFilter } from "./QuarantineFilter";
import { ReplayButton } from "./ReplayButton";

function lateBy({ cti, start }: LateResponse): string {
  return cti !== null && start !== null && cti > start ? formatSpan(cti - start) : "";
}

interface TableProps {
  run: RunResponse;
  scope: RunScope;
  ticked: ReadonlyMap<string, LateResponse>;
  onTick: (row: LateResponse) => void;
}

function Why({ row, run, columns }: { row: LateResponse; run: RunResponse; columns: number }) {
  const ran = useDefinition(run.id, true);
  return (
    <tr>
      <td colSpan={columns}>
        <div className="wide-cell">
          {isOutcome(row.outcome) ? <p>{OUTCOME_WORDS[row.outcome].meaning}</p> : null}
          {whyLate(row, ran.data ?? null).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      </td>
    </tr>
  );
}

function TickCell({ row, ticked, onTick }: Pick<TableProps, "ticked" | "onTick"> & { row: LateResponse }) {
  return (
    <td>
      <input
        type="checkbox"
        checked={ticked.has(row.id)}
        aria-label={`Select ${row.lane} · ${row.position}`}
        onChange={() => onTick(row)}
      />
    </td>
  );
}

function Row({
  row,
  run,
  scope,
  known,
  ticked,
  onTick,
}: TableProps & { row: LateResponse; known: readonly RunKeptResponse[] }) {
  const [open, setOpen] = useState(false);
  const columns = scope === "all" ? 10 : 9;
  return (
    <>
      <tr>
        <TickCell row={row} ticked={ticked} onTick={onTick} />
        {scope === "all" ? (
          <td>
            <RunCell of={row.run} here={run.id} known={known} />
          </td>
        ) : null}
        <td>
          <p>{isOutcome(row.outcome) ? <OutcomeMark outcome={row.outcome} /> : row.outcome}</p>
          <p className="quiet">{reasonWords(row.reason)}</p>
          {row.repaired ? (
            <p>
              restored by a repair <span className="quiet small">{whoRepaired(row)}</span>
            </p>
          ) : null}
          {row.edge ? <p className="quiet">edge {row.edge}</p> : null}
          <button
            type="button"
            className="link"
            aria-expanded={open}
            aria-label={`Why ${row.lane} · ${row.position} is here`}
            onClick={() => setOpen(!open)}
          >
            Why?
          </button>
        </td>
        <td>{row.start === null ? "" : <Instant ticks={row.start} />}</td>
        <td>{row.cti === null ? "" : <Instant ticks={row.cti} />}</td>
        <td className="num nowrap">{lateBy(row)}</td>
        <td className="num nowrap">{row.moved_by ? formatSpan(row.moved_by) : ""}</td>
        <td>{row.policy}</td>
        <td className="nowrap">
          <p>{row.input}</p>
          <p className="quiet">
            {row.lane} · {row.position}
          </p>
        </td>
        <td>
          <div className="raw">
            <RawText text={row.raw} />
          </div>
        </td>
      </tr>
      {open ? <Why row={row} run={run} columns={columns} /> : null}
    </>
  );
}

function QuarantineTable({ rows, ...table }: TableProps & { rows: readonly LateResponse[] }) {
  const { run, scope } = table;
  const known = useStoredRowsByRun(run.binding, scope === "all");
  return (
    <Scroll label="Table of late and malformed rows" tall>
      <table>
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">Selected</span>
            </th>
            {scope === "all" ? <th>Run, started (UTC)</th> : null}
            <th>Outcome and reason</th>
            <th>Start (UTC)</th>
            <th>CTI at arrival (UTC)</th>
            <th className="num">Late by</th>
            <th className="num">Moved by</th>
            <th>Policy</th>
            <th>Input, lane · position</th>
            <th>Row as received</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} known={known} {...table} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface NoRowsProps {
  total: number;
  scope: RunScope;
  chosen: boolean;
}

function NoRows({ total, scope, chosen }: NoRowsProps) {
  if (chosen)
    return (
      <Empty title="No rows match these filters">
        <p>Change or clear the filters.</p>
      </Empty>
    );
  return total > 0 && scope === "own" ? (
    <Empty title="The late and malformed rows of this run are no longer stored">
      <NotKept />
    </Empty>
  ) : (
    <Empty title={scope === "own" ? "No late or malformed rows" : "No late or malformed rows of any run are stored"}>
      <p>Rows appear here as they arrive, with the reason.</p>
    </Empty>
  );
}

const NONE: ReadonlyMap<string, LateResponse> = new Map();

function withTicked(ticked: ReadonlyMap<string, LateResponse>, row: LateResponse): ReadonlyMap<string, LateResponse> {
  const found = new Map(ticked);
  if (!found.delete(row.id)) found.set(row.id, row);
  return found;
}

function noteOf(scope: RunScope, total: number): string {
  const whose = scope === "own" ? `${counted(total, "row")} of this run` : "Rows of all runs";
  return `${whose}, newest first. Includes adjusted and shifted rows, which are part of the results.`;
}

/** All late and malformed rows, newest first, with their reason and their original content. */
export function QuarantinePanel({ run, total }: { run: RunResponse; total: number }) {
  const [choice, setChoice] = useState(EVERYTHING);
  const [scope, setScope] = useState<RunScope>("own");
  const [ticked, setTicked] = useState(NONE);
  const { pages, key } = useQuarantine(run.id, scope, lateQuery(choice));
  const { ref, behind, newer, toNewest } = useFollowing(pages, key, total);
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  const chosen = Object.keys(lateQuery(choice)).length > 0;
  const none = pages.isSuccess && rows.length === 0 && !pages.hasNextPage;
  const awaited = behind && total > 0 && !chosen;
  return (
    <Panel
      title="Late and malformed rows"
      note={noteOf(scope, total)}
      actions={
        <>
          <Newer count={newer} onShow={toNewest} />
          <ScopeChoice value={scope} onChange={setScope} />
          <ReplayButton
            run={run}
            scope={scope}
            choice={choice}
            ticked={ticked}
            onNone={rows.length > 0 ? () => setTicked(NONE) : null}
          />
          <QuarantineExport run={run} scope={scope} choice={choice} />
        </>
      }
      flush
    >
      <div ref={ref} />
      <div data-key="q" tabIndex={-1}>
        <QuarantineFilter run={run} choice={choice} onChange={setChoice} />
      </div>
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      {pages.isPending || (none && awaited) ? <Waiting>Loading the rows…</Waiting> : null}
      {none && !awaited ? <NoRows total={total} scope={scope} chosen={chosen} /> : null}
      {rows.length > 0 ? (
        <QuarantineTable
          rows={rows}
          run={run}
          scope={scope}
          ticked={ticked}
          onTick={(row) => setTicked(withTicked(ticked, row))}
        />
      ) : null}
      <More pages={pages} what="older rows" />
    </Panel>
  );
}
