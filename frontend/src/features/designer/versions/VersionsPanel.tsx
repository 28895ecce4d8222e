import { useState } from "react";
import { IsoInstant } from "../../../components/Instant";
import { ErrorNote, Notice, Waiting } from "../../../components/Notices";
import { Panel } from "../../../components/Panel";
import { ReasonedButton } from "../../../components/Reasoned";
import { Scroll } from "../../../components/Scroll";
import { useReason } from "../../../lib/session";
import type { QueryShown, VersionShown, VersionVerdicts } from "../../../model/api";
import { useDesigner } from "../page/designer";
import { useCreateVersion } from "../requests";
import { useVerdicts } from "../scenarios/requests";
import { useVersionPages } from "./requests";
import { VersionComparison } from "./VersionComparison";

interface RowProps {
  version: VersionShown;
  current: boolean;
  onCompare: (version: VersionShown) => void;
  onLoad: (version: VersionShown) => void;
  onRestore: (version: VersionShown) => void;
  /** Why nothing can be changed; null if it can. */
  reason: string | null;
  /** How its scenarios stand; undefined where the query has none. */
  verdicts: VersionVerdicts | undefined;
}

/** Green or red beside a version: how many of its scenarios hold, differ, and were not run. */
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

/** Makes an older version the current one again: as a new version, which says which one it is. */
function useRestore(query: QueryShown) {
  const making = useCreateVersion(query.id);
  const [said, setSaid] = useState("");
  const restore = ({ number, text }: VersionShown) => {
    if (making.isPending) return;
    const onSuccess = (made: VersionShown) =>
      setSaid(
        made.id === query.current.id
          ? `Version ${number} means the same as version ${made.number}, which stays the current one.`
          : `Version ${made.number} says what version ${number} said.`,
      );
    const body = { text, parent: query.current.id, comment: `Restored from version ${number}` };
    making.mutate(body, { onSuccess });
  };
  return { restore, said, error: making.error };
}

interface TableProps {
  query: QueryShown;
  versions: readonly VersionShown[];
  onCompare: (version: VersionShown) => void;
  onRestore: (version: VersionShown) => void;
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
            <th>Made (UTC), by</th>
            <th>Why</th>
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

function Restored({ said, error }: { said: string; error: unknown }) {
  return (
    <>
      <ErrorNote error={error} />
      {said === "" || error !== null ? null : (
        <Notice tone="good">
          <p>{said}</p>
        </Notice>
      )}
    </>
  );
}

function History({ query }: { query: QueryShown }) {
  const pages = useVersionPages(query.id);
  const [compared, setCompared] = useState<VersionShown | null>(null);
  const { restore, said, error } = useRestore(query);
  const versions = pages.data?.pages.flat() ?? [];
  const compare = (version: VersionShown) => {
    const before = versions.find((each) => each.id === version.parent) ?? version;
    setCompared(version.id === query.current.id ? before : version);
  };
  return (
    <>
      <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
      <Restored said={said} error={error} />
      {pages.isPending ? <Waiting>Loading the versions…</Waiting> : null}
      <Table query={query} versions={versions} onCompare={compare} onRestore={restore} />
      {pages.hasNextPage ? (
        <p className="row">
          <button type="button" className="button" onClick={() => void pages.fetchNextPage()}>
            {pages.isFetchingNextPage ? "Loading older ones…" : "Show older versions"}
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

/** The versions of a query: who made each, when and why; compared with any other, loaded into the editor, restored. */
export function VersionsPanel() {
  const { query } = useDesigner();
  if (query === null) return null;
  const note =
    "A stored version never changes: loading one puts its text into the editor, restoring makes a new version.";
  return (
    <Panel title="Versions" note={note} flush>
      <History query={query} />
    </Panel>
  );
}
