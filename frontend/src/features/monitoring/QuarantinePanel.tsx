import { useState } from "react";
import { OutcomeMark } from "../../components/Glyph";
import { Instant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { RawText } from "../../components/RawText";
import { Scroll } from "../../components/Scroll";
import { useKeptByRun } from "../../lib/keptByRun";
import { counted } from "../../lib/numbers";
import type { LateShown, RunKeptShown, RunShown } from "../../model/api";
import { isOutcome, OUTCOME_WORDS, reasonWords } from "../../model/outcomes";
import { EVERYTHING, lateQuery, whyLate } from "../../model/quarantine";
import { whoRepaired } from "../../model/repairs";
import { formatSpan } from "../../model/ticks";
import { More, Newer } from "./paging";
import { QuarantineFilter } from "./QuarantineFilter";
import { QuarantineTaken } from "./QuarantineTaken";
import { ReplayAsked } from "./ReplayAsked";
import { useDefinition, useFollowing, useQuarantine } from "./requests";
import { NotKept, RunCell, type RunScope, ScopeChoice } from "./scope";

function lateBy({ cti, start }: LateShown): string {
  return cti !== null && start !== null && cti > start ? formatSpan(cti - start) : "";
}

interface TableProps {
  run: RunShown;
  scope: RunScope;
  ticked: ReadonlyMap<string, LateShown>;
  onTick: (row: LateShown) => void;
}

function Why({ row, run, columns }: { row: LateShown; run: RunShown; columns: number }) {
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

function TickCell({ row, ticked, onTick }: Pick<TableProps, "ticked" | "onTick"> & { row: LateShown }) {
  return (
    <td>
      <input
        type="checkbox"
        checked={ticked.has(row.id)}
        aria-label={`Choose ${row.lane} · ${row.position}`}
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
}: TableProps & { row: LateShown; known: readonly RunKeptShown[] }) {
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
              taken back by a repair <span className="quiet small">{whoRepaired(row)}</span>
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

function QuarantineTable({ rows, ...table }: TableProps & { rows: readonly LateShown[] }) {
  const { run, scope } = table;
  const known = useKeptByRun(run.binding, scope === "all");
  return (
    <Scroll label="Table of late and malformed rows" tall>
      <table>
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">Chosen</span>
            </th>
            {scope === "all" ? <th>Run, started (UTC)</th> : null}
            <th>Outcome and reason</th>
            <th>Start (UTC)</th>
            <th>CTI it met (UTC)</th>
            <th className="num">Before it by</th>
            <th className="num">Moved by</th>
            <th>Policy</th>
            <th>Input, lane · position</th>
            <th>Row as it came</th>
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
      <Empty title="No row is as chosen.">
        <p>Choose something else, or take the filters away.</p>
      </Empty>
    );
  return total > 0 && scope === "own" ? (
    <Empty title="The late and malformed rows of this run are no longer kept.">
      <NotKept />
    </Empty>
  ) : (
    <Empty title={scope === "own" ? "No row was late or malformed." : "No late or malformed row of any run is kept."}>
      <p>Rows appear here as they come, with the reason.</p>
    </Empty>
  );
}

const NONE: ReadonlyMap<string, LateShown> = new Map();

function withTicked(ticked: ReadonlyMap<string, LateShown>, row: LateShown): ReadonlyMap<string, LateShown> {
  const found = new Map(ticked);
  if (!found.delete(row.id)) found.set(row.id, row);
  return found;
}

function noteOf(scope: RunScope, total: number): string {
  const whose = scope === "own" ? `${counted(total, "row")} of this run` : "Rows of all runs";
  return `${whose}, newest first. Adjusted and shifted rows are listed too, though results contain them.`;
}

/** Every row that came late or could not be read, newest first, with why and as it came. */
export function QuarantinePanel({ run, total }: { run: RunShown; total: number }) {
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
          <ReplayAsked
            run={run}
            scope={scope}
            choice={choice}
            ticked={ticked}
            onNone={rows.length > 0 ? () => setTicked(NONE) : null}
          />
          <QuarantineTaken run={run} scope={scope} choice={choice} />
        </>
      }
      flush
    >
      <div ref={ref} />
      <QuarantineFilter run={run} choice={choice} onChange={setChoice} />
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
