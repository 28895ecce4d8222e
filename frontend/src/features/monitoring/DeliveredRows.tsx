import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { Scroll } from "../../components/Scroll";
import { Value } from "../../components/Value";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { DeliveredRowShown } from "../../model/api";
import { columnsOf, hasColumn } from "../../model/columns";
import type { OutputShown } from "../../model/deliveries";
import { More } from "./paging";

interface Props {
  binding: string;
  output: OutputShown;
}

/** What is read of a target costs time there, so it is read when somebody asks, and not again by itself. */
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

/** What is said of corrections, where no row shown is one. */
const OF_CORRECTIONS = new Set(["result_key", "incomplete", "deleted", "edge"]);

function shownColumns(rows: readonly DeliveredRowShown[]) {
  const says = (name: string) => rows.some((row) => row.values[name]);
  return columnsOf(rows.map((row) => row.values)).filter(({ name }) => !OF_CORRECTIONS.has(name) || says(name));
}

function RowTable({ rows, node }: { rows: readonly DeliveredRowShown[]; node: string }) {
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
            <th>Stands in</th>
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
      {pages.isPending ? <Waiting>Reading what was delivered…</Waiting> : null}
      {pages.isSuccess && rows.length === 0 && !pages.hasNextPage ? (
        <Empty title="No row has arrived there yet.">
          <p>Rows are shown once all rows of their batch have arrived.</p>
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

/** The rows of an output where they lie now, newest day first: also those that are no longer kept here. */
export function DeliveredRows({ title, ...props }: Props & { title: string }) {
  const [open, setOpen] = useState(false);
  const { node } = props.output;
  return (
    <div className="stack">
      <p className="more">
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Show"} what {title} has of {node}
        </button>
      </p>
      {open ? <ReadRows {...props} /> : null}
    </div>
  );
}
