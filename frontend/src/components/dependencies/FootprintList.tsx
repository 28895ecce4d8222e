import { useQueryClient } from "@tanstack/react-query";
import { useReason, useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { bytesWords } from "../../messages/organisation/quotas";
import type { FootprintResponse } from "../../model/api";
import { ConfirmedAction } from "../actions/ConfirmedAction";
import { Notice } from "../notices/Notices";
import { Scroll } from "../page/Scroll";
import { IsoInstant } from "../values/Instant";
import { RawText } from "../values/RawText";

function Seen({ left }: { left: FootprintResponse }) {
  if (left.seen_at === null) return <span className="quiet">not checked yet</span>;
  if (left.names.length === 0) return <span className="quiet">nothing there</span>;
  return (
    <>
      {left.names.map((name) => (
        <code key={name}>{name}</code>
      ))}{" "}
      {left.kept_bytes === null ? "" : `retains ${bytesWords(Math.max(left.kept_bytes, 0))} of the server's log`}
    </>
  );
}

/** The footprint of an active input, with the action it needs. */
function Used({ left }: { left: FootprintResponse }) {
  return (
    <li className="stack tight">
      <span>
        The {left.what} of the input <strong>{left.node}</strong> at {left.where}: <Seen left={left} />
        {left.seen_at === null ? null : (
          <span className="quiet small">
            {" "}
            (checked <IsoInstant iso={left.seen_at} />)
          </span>
        )}
      </span>
      {left.warning === "" ? null : (
        <Notice tone="unknown">
          <p>{left.warning}</p>
        </Notice>
      )}
      {left.message === "" ? null : (
        <p className="quiet small">
          The last check failed: <RawText text={left.message} />
        </p>
      )}
    </li>
  );
}

function PutAside({ left }: { left: FootprintResponse }) {
  const slug = useSlug();
  const queries = useQueryClient();
  const reason = useReason("edit");
  const path = { slug, footprint: left.id };
  return (
    <ConfirmedAction
      reason={reason}
      opener="I have removed it…"
      label={`I have removed it: the ${left.what} of ${left.binding_name}`}
      title={`Is the ${left.what} of ${left.binding_name} removed?`}
      words={["Yes, it is removed", "Saving…"]}
      keep="Keep trying"
      act={() => unwrap(api.DELETE("/api/t/{slug}/footprints/{footprint}/", { params: { path } }))}
      onDone={() => queries.invalidateQueries({ queryKey: [slug, "footprints"] })}
    >
      <p>
        Removal will not be tried again. If it still exists at {left.where}, that server retains its log until its disk
        is full.
      </p>
    </ConfirmedAction>
  );
}

/** An unused footprint that still has to be removed from another server. */
function Leaving({ left }: { left: FootprintResponse }) {
  return (
    <li className="stack tight">
      <p>
        The {left.what} of the input <strong>{left.node}</strong> of <strong>{left.binding_name}</strong>
        {left.exists ? " (now reads from elsewhere)" : " (deleted)"} has not been removed from {left.where} yet .{" "}
        {left.message === "" ? "This takes a minute." : <RawText text={left.message} />}{" "}
        {left.message === "" ? null : "Removal is retried until it succeeds."}
        {left.tried_at === null || left.message === "" ? null : (
          <span className="quiet small">
            {" "}
            Last tried <IsoInstant iso={left.tried_at} />.
          </span>
        )}
      </p>
      {left.message === "" || left.by_hand === "" ? null : (
        <>
          <p>To remove it by hand, run in that database:</p>
          <Scroll label={`Command that removes the ${left.what} of ${left.binding_name}`}>
            <pre className="small">{left.by_hand}</pre>
          </Scroll>
          <p>
            <PutAside left={left} />
          </p>
        </>
      )}
    </li>
  );
}

/** The footprints of inputs on other servers, and those that still have to be removed. */
export function FootprintList({ footprints }: { footprints: readonly FootprintResponse[] }) {
  return (
    <ul className="stack">
      {footprints.map((left) =>
        left.used ? <Used key={left.id} left={left} /> : <Leaving key={left.id} left={left} />,
      )}
    </ul>
  );
}
