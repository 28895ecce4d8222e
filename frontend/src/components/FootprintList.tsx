import { useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../lib/api";
import { useReason, useSlug } from "../lib/session";
import type { FootprintShown } from "../model/api";
import { bytesWords } from "../model/quotas";
import { AskedAction } from "./AskedAction";
import { IsoInstant } from "./Instant";
import { Notice } from "./Notices";
import { RawText } from "./RawText";
import { Scroll } from "./Scroll";

function Seen({ left }: { left: FootprintShown }) {
  if (left.seen_at === null) return <span className="quiet">not looked at yet</span>;
  if (left.names.length === 0) return <span className="quiet">nothing is there</span>;
  return (
    <>
      {left.names.map((name) => (
        <code key={name}>{name}</code>
      ))}{" "}
      {left.kept_bytes === null ? "" : `keeps ${bytesWords(Math.max(left.kept_bytes, 0))} of the server's log`}
    </>
  );
}

/** What one input keeps, while it is used, with what somebody should do about it. */
function Used({ left }: { left: FootprintShown }) {
  return (
    <li className="stack tight">
      <span>
        The {left.what} of the input <strong>{left.node}</strong> at {left.where}: <Seen left={left} />
        {left.seen_at === null ? null : (
          <span className="quiet small">
            {" "}
            (seen <IsoInstant iso={left.seen_at} />)
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
          It could not be looked at last time: <RawText text={left.message} />
        </p>
      )}
    </li>
  );
}

function PutAside({ left }: { left: FootprintShown }) {
  const slug = useSlug();
  const queries = useQueryClient();
  const reason = useReason("edit");
  const path = { slug, footprint: left.id };
  return (
    <AskedAction
      reason={reason}
      opener="I have removed it…"
      label={`I have removed the ${left.what} of ${left.binding_name}`}
      title={`Is the ${left.what} of ${left.binding_name} gone?`}
      words={["It is gone", "Noting it…"]}
      keep="Go on trying"
      act={() => unwrap(api.DELETE("/api/t/{slug}/footprints/{footprint}/", { params: { path } }))}
      onDone={() => queries.invalidateQueries({ queryKey: [slug, "footprints"] })}
    >
      <p>
        It is not tried again. If it is still at {left.where}, that server keeps its log for it until its disk is full.
      </p>
    </AskedAction>
  );
}

/** What nobody reads any more and is still to be removed elsewhere. */
function Leaving({ left }: { left: FootprintShown }) {
  return (
    <li className="stack tight">
      <p>
        The {left.what} of the input <strong>{left.node}</strong> of <strong>{left.binding_name}</strong>
        {left.exists ? ", which reads something else now," : " (deleted)"} is still to be removed: it is at {left.where}
        . {left.message === "" ? "This takes a minute." : <RawText text={left.message} />}{" "}
        {left.message === "" ? null : "It is tried again until that succeeds."}
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
          <Scroll label={`What removes the ${left.what} of ${left.binding_name}`}>
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

/** What inputs keep on other servers, and what is still to be removed there. */
export function FootprintList({ footprints }: { footprints: readonly FootprintShown[] }) {
  return (
    <ul className="stack">
      {footprints.map((left) =>
        left.used ? <Used key={left.id} left={left} /> : <Leaving key={left.id} left={left} />,
      )}
    </ul>
  );
}
