import { ReasonedButton } from "../../components/actions/Reasoned";
import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { Instant } from "../../components/values/Instant";
import { Snippets } from "../../components/values/Snippets";
import { useReason, useSlug } from "../../lib/account/session";
import { bytesWords } from "../../messages/organisation/quotas";
import type { InboxResponse, StreamResponse } from "../../model/api";
import { curlSnippet, exampleRow, pythonSnippet } from "../../model/stream/pushSnippets";
import { counted } from "../../model/text/counts";
import { useInbox, useMakePushToken } from "./requests";

const WITHOUT_TOKEN = "YOUR_TOKEN";

function InboxFacts({ inbox }: { inbox: InboxResponse }) {
  const kept = inbox.next - inbox.oldest;
  const readers = inbox.readers === 0 ? "No bindings have read it yet" : `${counted(inbox.readers, "binding")} read it`;
  return (
    <dl className="facts" aria-live="polite">
      <dt>Received</dt>
      <dd>{counted(inbox.next, "row")}</dd>
      <dt>Stored</dt>
      <dd>
        {counted(kept, "row")}, {bytesWords(inbox.stored_bytes)}
      </dd>
      <dt>Last batch</dt>
      <dd>{inbox.newest_us === null ? "none yet" : <Instant ticks={inbox.newest_us} />}</dd>
      <dt>Readers</dt>
      <dd>
        {readers}; {counted(inbox.unread, "row")} unread.
      </dd>
    </dl>
  );
}

/** The address and token for pushing rows to this stream, and the rows received so far. */
export function PushPanel({ stream }: { stream: StreamResponse }) {
  const slug = useSlug();
  const inbox = useInbox(stream.id);
  const making = useMakePushToken(stream.name);
  const reason = useReason("push");
  const url = `${window.location.origin}/api/t/${slug}/streams/${stream.id}/rows/`;
  const address = { url, token: making.data ?? WITHOUT_TOKEN, row: exampleRow(stream.definition) };
  return (
    <Panel
      title="Pushed rows"
      note="A batch is acknowledged when it is on disk. On 429 or 503, send it again with the same Idempotency-Key; it counts only once"
    >
      <div className="stack">
        {inbox.data === undefined ? null : <InboxFacts inbox={inbox.data} />}
        {inbox.isPending ? <Waiting>Loading the inbox…</Waiting> : null}
        <ErrorNote error={inbox.error} onRetry={() => void inbox.refetch()} />
        <Snippets purpose="Push rows" texts={{ curl: curlSnippet(address), Python: pythonSnippet(address) }} />
        <p className="row">
          <ReasonedButton reason={reason} onClick={() => making.mutate()} aria-disabled={making.isPending}>
            {making.isPending ? "Creating a token…" : "Insert a new token"}
          </ReasonedButton>
          <span className="quiet small">
            {making.data === undefined
              ? "The token can only push, for 90 days. You can revoke it under Access tokens."
              : "The token is shown above only once. You can revoke it under Access tokens."}
          </span>
        </p>
        <ErrorNote error={making.error} />
      </div>
    </Panel>
  );
}
