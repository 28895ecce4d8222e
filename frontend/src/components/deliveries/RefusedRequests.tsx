import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useReason, useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import type { RefusedRequestResponse } from "../../model/api";
import type { OutputOverview } from "../../model/binding/deliveries";
import { counted } from "../../model/text/counts";
import { ConfirmedAction } from "../actions/ConfirmedAction";
import { ErrorNote, Waiting } from "../notices/Notices";
import { Scroll } from "../page/Scroll";
import { Instant } from "../values/Instant";
import { RawText } from "../values/RawText";

const REFUSED = "/api/t/{slug}/bindings/{binding}/outputs/{output}/refused/";

interface Place {
  binding: string;
  output: OutputOverview;
}

/** With `request`, load only that one, with its rows. */
function useRefused({ binding, output }: Place, request?: { batch: number; part: number }) {
  const slug = useSlug();
  const path = { slug, binding, output: output.identity };
  return useQuery({
    queryKey: [slug, "refused", output.identity, output.delivery?.refused_requests, request?.batch, request?.part],
    queryFn: () => unwrap(api.GET(REFUSED, { params: { path, query: request ?? {} } })),
  });
}

function RefusedRows({ request, ...place }: Place & { request: RefusedRequestResponse }) {
  const found = useRefused(place, { batch: request.batch, part: request.part });
  if (found.data === undefined) return found.isError ? <ErrorNote error={found.error} /> : <Waiting>Loading…</Waiting>;
  const rows = found.data.flatMap((each) => each.rows ?? []);
  return (
    <Scroll label={`Rows of batch ${request.batch}`}>
      <pre className="small">
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other key and never move
          <div key={at}>
            <RawText text={JSON.stringify(row)} />
          </div>
        ))}
      </pre>
    </Scroll>
  );
}

function OneRefused({ request, ...place }: Place & { request: RefusedRequestResponse }) {
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
    <ConfirmedAction
      reason={reason}
      opener="Put aside…"
      label={`Put aside refused requests of ${output.node}`}
      title={`Put aside refused requests of ${output.node}?`}
      words={["Put aside", "Putting aside…"]}
      keep="Keep them"
      act={act}
      onDone={refresh}
    >
      <p>
        The refused rows are deleted here and will not be sent again. They stay in the binding's results. If the
        delivery was paused because of too many refused requests, it resumes.
      </p>
    </ConfirmedAction>
  );
}

/** Requests that an output's target refused permanently: the reason, the rows, and a way to put them aside. */
export function RefusedRequests(place: Place) {
  const [open, setOpen] = useState(false);
  const { output } = place;
  const count = output.delivery?.refused_requests ?? 0;
  if (count === 0) return null;
  return (
    <div className="stack">
      <p className="row">
        <span>
          {counted(count, "request was refused", "requests were refused")} permanently. Their rows are kept here.
        </span>
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Show"} refused requests of {output.node}
        </button>
        <PutAside {...place} />
      </p>
      {open ? <RefusedList {...place} /> : null}
    </div>
  );
}
