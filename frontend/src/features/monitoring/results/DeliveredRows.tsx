import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Scroll } from "../../../components/page/Scroll";
import { Value } from "../../../components/values/Value";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import type { DeliveredRowResponse } from "../../../model/api";
import type { OutputOverview } from "../../../model/binding/deliveries";
import { columnsOf, hasColumn } from "../../../model/results/columns";
import { More } from "../paging";

interface Props {
  binding: string;
  output: OutputOverview;
}

/** Read rows from an output's target. That costs time there, so it happens on request and never automatically. */
function useDeliveredRows({ binding, output }: Props) {
  const slug = useSlug();
  return useInfiniteQuery({
    queryKey: [slug, "delivered", output.identity, output.revision],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/t/{slug}/bindings/{binding}/outputs/{output}/rows/", {
          params: {
            path: { slug, binding, output: output.identity },
            query: pageParam === null ? {} : { before: pageParam },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** Columns about corrections, hidden if no visible row is a correction. */
const OF_CORRECTIONS = new Set(["result_key", "incomplete", "deleted", "edge"]);

function shownColumns(rows: readonly DeliveredRowResponse[]) {
  const says = (name: string) => rows.some((row) => row.values[name]);
  return columnsOf(rows.map((row) => row.values)).filter(({ name }) => !OF_CORRECTIONS.has(name) || says(name));
}

function RowTable({ rows, node }: { rows: readonly DeliveredRowResponse[]; node: string }) {
  const columns = shownColumns(rows);
  return (
    <Scroll label={`Delivered rows of ${node}`} tall>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, numeric }) => (
              <th key={name} className={numeric ? "num" : undefined}>
                {name}
              </th>
            ))}
            <th>Location</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {columns.map(({ name, numeric, decimals }) => (
                <td key={name} className={numeric ? "num" : "nowrap"}>
                  {hasColumn(row.values, name) ? <Value value={row.values[name]} decimals={decimals} /> : null}
                </td>
              ))}
              <td className="quiet small nowrap" title={row.id}>
                {row.where}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function ReadRows(props: Props) {
  const pages = useDeliveredRows(props);
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <>
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      {pages.isPending ? <Waiting>Reading delivered rows…</Waiting> : null}
      {pages.isSuccess && rows.length === 0 && !pages.hasNextPage ? (
        <Empty title="No delivered rows yet">
          <p>Rows appear when their whole batch has been delivered.</p>
        </Empty>
      ) : null}
      {rows.length > 0 ? <RowTable rows={rows} node={props.output.node} /> : null}
      <More pages={pages} what="older delivered rows" />
      {pages.isSuccess ? (
        <p className="more">
          <button type="button" className="button" disabled={pages.isFetching} onClick={() => void pages.refetch()}>
            {pages.isRefetching ? "Reading again…" : "Read again"}
          </button>
        </p>
      ) : null}
    </>
  );
}

/** The rows of an output in its target, newest day first, including rows no longer stored here. */
export function DeliveredRows({ title, ...props }: Props & { title: string }) {
  const [open, setOpen] = useState(false);
  const { node } = props.output;
  return (
    <div className="stack">
      <p className="more">
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide rows" : "Show rows"} of {node} in {title}
        </button>
      </p>
      {open ? <ReadRows {...props} /> : null}
    </div>
  );
}
