import { useState } from "react";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { useReason } from "../../../lib/account/session";
import type { QueryResponse, VersionResponse, VersionVerdicts } from "../../../model/api";
import { useDesigner } from "../page/designer";
import { useCreateVersion } from "../requests";
import { useVerdicts } from "../scenarios/requests";
import { useVersionPages } from "./requests";
import { VersionComparison } from "./VersionComparison";

interface RowProps {
  version: VersionResponse;
  current: boolean;
  onCompare: (version: VersionResponse) => void;
  onLoad: (version: VersionResponse) => void;
  onRestore: (version: VersionResponse) => void;
  /** The reason why nothing can be changed; null if editing is allowed. */
  reason: string | null;
  /** The verdicts of its scenarios; undefined if the query has no scenarios. */
  verdicts: VersionVerdicts | undefined;
}

/** Return the numbers of a version's green, red and unrun scenarios. */
function verdictWords({ green, red, unknown }: VersionVerdicts): string {
  const parts = [
    red > 0 ? `✕ ${red} red` : "",
    green > 0 ? `✓ ${green} green` : "",
    unknown > 0 ? `${unknown} not run` : "",
  ];
  return parts.filter(Boolean).join(", ");
}

function toneOf({ green, red }: VersionVerdicts): "bad" | "good" | "idle" {
  return red > 0 ? "bad" : green > 0 ? "good" : "idle";
}

function Row({ version, current, onCompare, onLoad, onRestore, reason, verdicts }: RowProps) {
  const { number } = version;
  return (
    <tr>
      <th scope="row" className="num">
        {number}
        {verdicts === undefined ? null : (
          <>
            <br />
            <span className="mark" data-tone={toneOf(verdicts)}>
              {verdictWords(verdicts)}
            </span>
          </>
        )}
      </th>
      <td>
        <IsoInstant iso={version.created_at} />
        <br />
        <span className="quiet">{version.author ?? "system"}</span>
      </td>
      <td>{version.comment || <span className="quiet">no comment</span>}</td>
      <td>
        <span className="row">
          <button
            type="button"
            className="button"
            onClick={() => onCompare(version)}
            aria-label={`Compare version ${number}`}
          >
            Compare
          </button>
          <ReasonedButton reason={reason} onClick={() => onLoad(version)} aria-label={`Load version ${number}`}>
            Load
          </ReasonedButton>
          <ReasonedButton
            reason={reason ?? (current ? "This is the current version." : null)}
            onClick={() => onRestore(version)}
            aria-label={`Restore version ${number}`}
          >
            Restore
          </ReasonedButton>
        </span>
      </td>
    </tr>
  );
}

/** Make an older version current again, as a new version with a comment about its origin. */
function useRestore(query: QueryResponse) {
  const making = useCreateVersion(query.id);
  const [message, setMessage] = useState("");
  const restore = ({ number, text }: VersionResponse) => {
    if (making.isPending) return;
    const onStored = (made: VersionResponse) =>
      setMessage(
        made.id === query.current.id
          ? `Version ${number} has the same meaning as version ${made.number}, which stays current.`
          : `Restored version ${number} as version ${made.number}.`,
      );
    const body = { text, parent: query.current.id, comment: `Restored from version ${number}` };
    making.mutate({ body, onStored });
  };
  return { restore, message, error: making.error };
}

interface TableProps {
  query: QueryResponse;
  versions: readonly VersionResponse[];
  onCompare: (version: VersionResponse) => void;
  onRestore: (version: VersionResponse) => void;
}

function Table({ query, versions, onCompare, onRestore }: TableProps) {
  const { replaceText } = useDesigner();
  const reason = useReason("edit");
  const verdicts = useVerdicts(query.id);
  return (
    <Scroll label="Table of versions">
      <table>
        <thead>
          <tr>
            <th className="num">Version</th>
            <th>Created (UTC), by</th>
            <th>Comment</th>
            <th>
              <span className="visually-hidden">Compare, load and restore</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <Row
              key={version.id}
              version={version}
              current={version.id === query.current.id}
              onCompare={onCompare}
              onLoad={({ text }) => replaceText(text)}
              onRestore={onRestore}
              reason={reason}
              verdicts={verdicts.data?.find((each) => each.version === version.number)}
            />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Restored({ message, error }: { message: string; error: unknown }) {
  return (
    <>
      <ErrorNote error={error} />
      {message === "" || error !== null ? null : (
        <Notice tone="good">
          <p>{message}</p>
        </Notice>
      )}
    </>
  );
}

function History({ query }: { query: QueryResponse }) {
  const pages = useVersionPages(query.id);
  const [compared, setCompared] = useState<VersionResponse | null>(null);
  const { restore, message, error } = useRestore(query);
  const versions = pages.data?.pages.flat() ?? [];
  const compare = (version: VersionResponse) => {
    const before = versions.find((each) => each.id === version.parent) ?? version;
    setCompared(version.id === query.current.id ? before : version);
  };
  return (
    <>
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      <Restored message={message} error={error} />
      {pages.isPending ? <Waiting>Loading the versions…</Waiting> : null}
      <Table query={query} versions={versions} onCompare={compare} onRestore={restore} />
      {pages.hasNextPage ? (
        <p className="row">
          <button type="button" className="button" onClick={() => void pages.fetchNextPage()}>
            {pages.isFetchingNextPage ? "Loading older versions…" : "Show older versions"}
          </button>
        </p>
      ) : null}
      {compared === null ? null : (
        <VersionComparison
          query={query.id}
          versions={versions}
          from={compared}
          to={query.current}
          onClose={() => setCompared(null)}
        />
      )}
    </>
  );
}

/** The versions of a query with author, time and comment; each can be compared, loaded into the editor or restored. */
export function VersionsPanel() {
  const { query } = useDesigner();
  if (query === null) return null;
  const note = "Saved versions never change. Load puts the text into the editor; Restore creates a new version.";
  return (
    <Panel title="Versions" note={note} flush>
      <History query={query} />
    </Panel>
  );
}
