import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../lib/api";
import { useReason, useSlug } from "../lib/session";
import type { RefusedRequestShown } from "../model/api";
import { counted } from "../model/counts";
import type { OutputShown } from "../model/deliveries";
import { AskedAction } from "./AskedAction";
import { Instant } from "./Instant";
import { ErrorNote, Waiting } from "./Notices";
import { RawText } from "./RawText";
import { Scroll } from "./Scroll";

const REFUSED = "/api/t/{slug}/bindings/{binding}/outputs/{output}/refused/";

interface Place {
  binding: string;
  output: OutputShown;
}

/** `request`: of this one alone, with its rows. */
function useRefused({ binding, output }: Place, request?: { batch: number; part: number }) {
  const slug = useSlug();
  const path = { slug, binding, output: output.identity };
  return useQuery({
    queryKey: [slug, "refused", output.identity, output.delivery?.refused_requests, request?.batch, request?.part],
    queryFn: () => unwrap(api.GET(REFUSED, { params: { path, query: request ?? {} } })),
  });
}

function RefusedRows({ request, ...place }: Place & { request: RefusedRequestShown }) {
  const found = useRefused(place, { batch: request.batch, part: request.part });
  if (found.data === undefined) return found.isError ? <ErrorNote error={found.error} /> : <Waiting>Loading…</Waiting>;
  const rows = found.data.flatMap((each) => each.rows ?? []);
  return (
    <Scroll label={`Rows of batch ${request.batch}`}>
      <pre className="small">
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name, and never change places
          <div key={at}>
            <RawText text={JSON.stringify(row)} />
          </div>
        ))}
      </pre>
    </Scroll>
  );
}

function OneRefused({ request, ...place }: Place & { request: RefusedRequestShown }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <Instant ticks={request.at} />, batch {request.batch}: <RawText text={request.reason} />.{" "}
      <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Hide" : "Show"} {counted(request.row_count, "row")}
      </button>
      {open ? <RefusedRows {...place} request={request} /> : null}
    </li>
  );
}

function RefusedList(place: Place) {
  const found = useRefused(place);
  if (found.data === undefined) return found.isError ? <ErrorNote error={found.error} /> : <Waiting>Loading…</Waiting>;
  return (
    <ul className="stack">
      {found.data.map((request) => (
        <OneRefused key={`${request.batch} ${request.part}`} {...place} request={request} />
      ))}
    </ul>
  );
}

function PutAside({ binding, output }: Place) {
  const slug = useSlug();
  const queries = useQueryClient();
  const reason = useReason("edit");
  const act = () => unwrap(api.DELETE(REFUSED, { params: { path: { slug, binding, output: output.identity } } }));
  const refresh = () => queries.invalidateQueries({ queryKey: [slug] });
  return (
    <AskedAction
      reason={reason}
      opener="Put aside…"
      label={`Put aside what was refused of ${output.node}`}
      title={`Put aside what was refused of ${output.node}?`}
      words={["Put aside", "Putting aside…"]}
      keep="Keep them"
      act={act}
      onDone={refresh}
    >
      <p>
        The refused rows are deleted here and will not be sent again; in the results of the binding they stay. A
        delivery that waits because there are too many goes on.
      </p>
    </AskedAction>
  );
}

/** What the target of an output refused for good: why, which rows, and putting them aside. */
export function RefusedRequests(place: Place) {
  const [open, setOpen] = useState(false);
  const { output } = place;
  const count = output.delivery?.refused_requests ?? 0;
  if (count === 0) return null;
  return (
    <div className="stack">
      <p className="row">
        <span>{counted(count, "request was refused", "requests were refused")} for good; the rows are kept here.</span>
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Look at"} what was refused of {output.node}
        </button>
        <PutAside {...place} />
      </p>
      {open ? <RefusedList {...place} /> : null}
    </div>
  );
}
