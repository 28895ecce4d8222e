import { useState } from "react";
import { OutcomeMark } from "../../components/Glyph";
import { Instant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { formatCount } from "../../lib/numbers";
import type { LateShown } from "../../model/api";
import { isOutcome, OUTCOME_WORDS, OUTCOMES, type Outcome, reasonWords } from "../../model/outcomes";
import { formatSpan } from "../../model/ticks";
import { More, Newer } from "./paging";
import { useFollowing, useQuarantine } from "./queries";

const LISTED = OUTCOMES.filter((outcome) => outcome !== "on_time" && outcome !== "reordered");

function lateBy({ cti, start }: LateShown): string {
  return cti !== null && start !== null && cti > start ? formatSpan(cti - start) : "";
}

function Row({ row }: { row: LateShown }) {
  return (
    <tr>
      <td>
        <p>{isOutcome(row.outcome) ? <OutcomeMark outcome={row.outcome} /> : row.outcome}</p>
        <p className="quiet">{reasonWords(row.reason)}</p>
        {row.edge ? <p className="quiet">edge {row.edge}</p> : null}
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
        <div className="raw">{row.raw}</div>
      </td>
    </tr>
  );
}

function QuarantineTable({ rows }: { rows: readonly LateShown[] }) {
  return (
    <Scroll label="Table of late and malformed rows" tall>
      <table>
        <thead>
          <tr>
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
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface FilterProps {
  value: Outcome | null;
  onChange: (outcome: Outcome | null) => void;
}

function OutcomeFilter({ value, onChange }: FilterProps) {
  return (
    <label className="small">
      Outcome{" "}
      <select
        className="compact"
        value={value ?? ""}
        onChange={(event) => onChange(isOutcome(event.target.value) ? event.target.value : null)}
      >
        <option value="">all</option>
        {LISTED.map((outcome) => (
          <option key={outcome} value={outcome}>
            {OUTCOME_WORDS[outcome].label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Every row that came late or could not be read, newest first, with why and as it came. */
export function QuarantinePanel({ run, total }: { run: string; total: number }) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { pages, key } = useQuarantine(run, outcome);
  const { newer, toNewest } = useFollowing(pages, key, total);
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Panel
      title="Late and malformed rows"
      note={`${formatCount(total)} in quarantine. Adjusted and shifted rows are listed too, though results contain them.`}
      actions={
        <>
          <Newer count={newer} onShow={toNewest} />
          <OutcomeFilter value={outcome} onChange={setOutcome} />
        </>
      }
      flush
    >
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      {pages.isPending ? <Waiting>Loading the rows…</Waiting> : null}
      {pages.isSuccess && rows.length === 0 ? (
        <Empty title={outcome === null ? "No row was late or malformed." : "No row on this page has that outcome."}>
          <p>
            {outcome === null ? "Rows appear here as they come, with the reason." : "Choose another outcome, or all."}
          </p>
        </Empty>
      ) : null}
      {rows.length > 0 ? <QuarantineTable rows={rows} /> : null}
      <More pages={pages} what="older rows" />
    </Panel>
  );
}
