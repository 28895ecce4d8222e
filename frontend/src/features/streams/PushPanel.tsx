import { useState } from "react";
import { Instant } from "../../components/Instant";
import { ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { ReasonedButton } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { useReason, useSlug } from "../../lib/session";
import type { InboxShown, StreamShown } from "../../model/api";
import { counted } from "../../model/counts";
import { curlSnippet, exampleRow, pythonSnippet } from "../../model/pushSnippets";
import { bytesWords } from "../../model/quotas";
import { useInbox, useMakePushToken } from "./requests";

const WITHOUT_TOKEN = "YOUR_TOKEN";
const WRITTEN_FOR = { curl: curlSnippet, Python: pythonSnippet } as const;
type Language = keyof typeof WRITTEN_FOR;
const LANGUAGES = Object.keys(WRITTEN_FOR) as Language[];

function InboxFacts({ inbox }: { inbox: InboxShown }) {
  const kept = inbox.next - inbox.oldest;
  const readers = inbox.readers === 0 ? "No binding has read it yet" : `${counted(inbox.readers, "binding")} read it`;
  return (
    <dl className="facts" aria-live="polite">
      <dt>Received</dt>
      <dd>{counted(inbox.next, "row")}</dd>
      <dt>Kept</dt>
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

function Snippets({ url, token, row }: { url: string; token: string; row: Record<string, unknown> }) {
  const [language, setLanguage] = useState<Language>("curl");
  const [copied, setCopied] = useState("");
  const text = WRITTEN_FOR[language]({ url, token, row });
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(text));
  return (
    <>
      <fieldset className="row group">
        <legend>How to push</legend>
        {LANGUAGES.map((each) => (
          <button
            key={each}
            type="button"
            className="button"
            data-kind={each === language ? "primary" : undefined}
            aria-pressed={each === language}
            onClick={() => setLanguage(each)}
          >
            {each}
          </button>
        ))}
        <button type="button" className="button" onClick={copy}>
          {copied === text ? "Copied" : "Copy"}
        </button>
      </fieldset>
      <Scroll label={`How to push from ${language}`}>
        <pre className="snippet">{text}</pre>
      </Scroll>
    </>
  );
}

/** Where programs push the rows of this stream, with which token, and what has arrived. */
export function PushPanel({ stream }: { stream: StreamShown }) {
  const slug = useSlug();
  const inbox = useInbox(stream.id);
  const making = useMakePushToken(stream.name);
  const reason = useReason("push");
  const url = `${window.location.origin}/api/t/${slug}/streams/${stream.id}/rows/`;
  return (
    <Panel
      title="Pushed rows"
      note="A batch is acknowledged when it is on the disk. Sent again with the same Idempotency-Key, it counts once; on 429 or 503 send it again."
    >
      <div className="stack">
        {inbox.data === undefined ? null : <InboxFacts inbox={inbox.data} />}
        {inbox.isPending ? <Waiting>Looking into the inbox…</Waiting> : null}
        <ErrorNote error={inbox.error} onRetry={() => void inbox.refetch()} />
        <Snippets url={url} token={making.data ?? WITHOUT_TOKEN} row={exampleRow(stream.definition)} />
        <p className="row">
          <ReasonedButton reason={reason} onClick={() => making.mutate()} aria-disabled={making.isPending}>
            {making.isPending ? "Making a token…" : "Put a new token of mine in"}
          </ReasonedButton>
          <span className="quiet small">
            {making.data === undefined
              ? "It may push and nothing else, for 90 days; it is listed under Access tokens, where it can be taken back."
              : "It stands above, and is shown only now. Taken back under Access tokens, it pushes no more."}
          </span>
        </p>
        <ErrorNote error={making.error} />
      </div>
    </Panel>
  );
}
