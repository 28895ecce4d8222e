import { useState } from "react";
import { Ask } from "../../components/Ask";
import { Difference } from "../../components/Difference";
import { IsoInstant } from "../../components/Instant";
import { ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import type { QueryShown, VersionShown } from "../../model/api";
import { useVersions } from "./requests";

interface VersionsProps {
  query: QueryShown;
  onLoad: (version: VersionShown) => void;
}

interface RowProps {
  version: VersionShown;
  onCompare: (version: VersionShown) => void;
  onLoad: (version: VersionShown) => void;
}

function Row({ version, onCompare, onLoad }: RowProps) {
  return (
    <tr>
      <th scope="row" className="num">
        {version.number}
      </th>
      <td>
        <IsoInstant iso={version.created_at} />
        <br />
        <span className="quiet">{version.author ?? "system"}</span>
      </td>
      <td>{version.comment}</td>
      <td className="fixed nowrap">
        <button
          type="button"
          className="button"
          onClick={() => onCompare(version)}
          aria-label={`Compare version ${version.number}`}
        >
          Compare
        </button>{" "}
        <button
          type="button"
          className="button"
          onClick={() => onLoad(version)}
          aria-label={`Load version ${version.number}`}
        >
          Load
        </button>
      </td>
    </tr>
  );
}

/** The versions of a query: each can be compared with the current one and loaded into the editor. */
export function Versions({ query, onLoad }: VersionsProps) {
  const versions = useVersions(query.id);
  const [compared, setCompared] = useState<VersionShown | null>(null);
  return (
    <Panel title="Versions" note="A stored version never changes; loading one puts its text into the editor." flush>
      {versions.isError ? <ErrorNote error={versions.error} onRetry={() => void versions.refetch()} /> : null}
      {versions.isPending ? <Waiting>Loading the versions…</Waiting> : null}
      <Scroll label="Table of versions">
        <table>
          <thead>
            <tr>
              <th className="num">Version</th>
              <th>Made (UTC), by</th>
              <th>Comment</th>
              <th className="fixed">
                <span className="visually-hidden">Compare and load</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {(versions.data ?? []).map((version) => (
              <Row key={version.id} version={version} onCompare={setCompared} onLoad={onLoad} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {compared === null ? null : (
        <Ask
          title={`From version ${compared.number} to version ${query.current.number}`}
          open
          onClose={() => setCompared(null)}
        >
          <Difference before={compared.text} after={query.current.text} label="What changed" />
          <p className="row">
            <button type="button" className="button" onClick={() => setCompared(null)}>
              Close
            </button>
          </p>
        </Ask>
      )}
    </Panel>
  );
}
