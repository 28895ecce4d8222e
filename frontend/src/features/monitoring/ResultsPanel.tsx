import { Instant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { Value } from "../../components/Value";
import { formatCount } from "../../lib/numbers";
import type { ResultShown } from "../../model/api";
import { standing } from "../../model/standing";
import { isNumeric } from "../../model/values";
import { More, Newer } from "./paging";
import { useFollowing, useResults } from "./queries";

interface Column {
  name: string;
  className: string | undefined;
}

function columnsOf(rows: readonly ResultShown[]): Column[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.payload)))];
  const numeric = (name: string) => isNumeric(rows.map((row) => row.payload[name]));
  return names.map((name) => ({ name, className: numeric(name) ? "num" : undefined }));
}

function ResultTable({ rows }: { rows: readonly ResultShown[] }) {
  const columns = columnsOf(rows);
  const severalOutputs = new Set(rows.map((row) => row.output)).size > 1;
  const notFinal = rows.some((row) => row.key);
  return (
    <Scroll label="Table of results" tall>
      <table>
        <thead>
          <tr>
            {severalOutputs ? <th>Output</th> : null}
            <th>Start (UTC)</th>
            <th>End (UTC)</th>
            {notFinal ? <th>Standing</th> : null}
            {columns.map(({ name, className }) => (
              <th key={name} className={className}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {severalOutputs ? <td>{row.output}</td> : null}
              <td>
                <Instant ticks={row.start} />
              </td>
              <td>
                <Instant ticks={row.end} />
              </td>
              {notFinal ? <td className="nowrap">{standing(row)}</td> : null}
              {columns.map(({ name, className }) => (
                <td key={name} className={className}>
                  <Value value={row.payload[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Committed results, newest first: final ones, and those that say that another row may take their place. */
export function ResultsPanel({ run, total }: { run: string; total: number }) {
  const { pages, key } = useResults(run);
  const { newer, toNewest } = useFollowing(pages, key, total);
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Panel
      title="Results"
      note={`${formatCount(total)} rows in all, newest first. ${
        rows.some((row) => row.key)
          ? "A later row of the same edge or pane takes the place of the one before."
          : "Each is final."
      }`}
      actions={<Newer count={newer} onShow={toNewest} />}
      flush
    >
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      {pages.isPending ? <Waiting>Loading the results…</Waiting> : null}
      {pages.isSuccess && rows.length === 0 ? (
        <Empty title="No result is final yet.">
          <p>Results come once the CTI has passed what they wait for, such as the end of a window.</p>
        </Empty>
      ) : null}
      {rows.length > 0 ? <ResultTable rows={rows} /> : null}
      <More pages={pages} what="older results" />
    </Panel>
  );
}
