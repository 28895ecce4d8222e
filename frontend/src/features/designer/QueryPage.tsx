import { useState } from "react";
import { useParams } from "react-router";
import { IsoInstant } from "../../components/Instant";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { useMay, useSlug } from "../../lib/session";
import type { QueryGraph, QueryShown, VersionShown } from "../../model/api";
import { graphText } from "../../model/graphText";
import { GraphEditor, mayBeSaved, useDraft } from "./GraphEditor";
import { useCreateVersion, useQueryDefinition, useVersions } from "./queries";

interface VersionsProps {
  query: QueryShown;
  onLoad: (version: VersionShown) => void;
}

function Versions({ query, onLoad }: VersionsProps) {
  const versions = useVersions(query.id);
  return (
    <Panel title="Versions" note="A stored version never changes; loading one puts its text into the editor." flush>
      {versions.isError ? <ErrorNote error={versions.error} onRetry={() => void versions.refetch()} /> : null}
      {versions.isPending ? <Waiting>Loading the versions…</Waiting> : null}
      <Scroll label="Table of versions">
        <table>
          <thead>
            <tr>
              <th className="num">Version</th>
              <th>Made (UTC)</th>
              <th>By</th>
              <th>Comment</th>
              <th>
                <span className="visually-hidden">Load</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {(versions.data ?? []).map((version) => (
              <tr key={version.id}>
                <th scope="row" className="num">
                  {version.number}
                </th>
                <td>
                  <IsoInstant iso={version.created_at} />
                </td>
                <td>{version.author ?? "system"}</td>
                <td>{version.comment}</td>
                <td className="num">
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
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}

function savedWords(version: VersionShown | undefined, before: number): string {
  if (version === undefined) return "";
  return version.number === before ? "Nothing had changed." : `Saved as version ${version.number}.`;
}

interface SaveVersionProps {
  comment: string;
  onComment: (comment: string) => void;
  onSave: () => void;
  saving: boolean;
  /** Whether there is a changed draft that could be stored. */
  ready: boolean;
}

function SaveVersion({ comment, onComment, onSave, saving, ready }: SaveVersionProps) {
  return (
    <>
      <input
        className="input comment"
        aria-label="Comment for the new version"
        placeholder="What changed?"
        maxLength={500}
        value={comment}
        onChange={(event) => onComment(event.target.value)}
      />
      <button type="button" className="button" data-kind="primary" onClick={onSave} disabled={saving || !ready}>
        {saving ? "Saving…" : "Save a new version"}
      </button>
    </>
  );
}

function Designer({ query }: { query: QueryShown }) {
  const slug = useSlug();
  const mayEdit = useMay("edit");
  const [base, setBase] = useState(query.current);
  const [text, setText] = useState(() => graphText(query.current.graph));
  const [comment, setComment] = useState("");
  const [said, setSaid] = useState("");
  const draft = useDraft(text);
  const saving = useCreateVersion(query.id);
  const changed = text !== graphText(base.graph);

  const save = () => {
    const graph = draft.read.value as QueryGraph; // the server checks it whole
    saving.mutate(
      { graph, parent: base.id, comment },
      {
        onSuccess: (version) => {
          setSaid(savedWords(version, base.number));
          setBase(version);
          setText(graphText(version.graph));
          setComment("");
        },
      },
    );
  };

  return (
    <>
      <PageHead
        title={query.name}
        crumb={{ to: `/t/${slug}/queries`, label: "Queries" }}
        beside={<span className="mark" data-tone="idle">{`version ${base.number}${changed ? ", changed" : ""}`}</span>}
        actions={
          mayEdit ? (
            <SaveVersion
              comment={comment}
              onComment={setComment}
              onSave={save}
              saving={saving.isPending}
              ready={changed && mayBeSaved(draft)}
            />
          ) : undefined
        }
      />
      <ErrorNote error={saving.error} />
      {said && !saving.isError ? (
        <Notice tone="good">
          <p>{said}</p>
        </Notice>
      ) : null}
      <GraphEditor draft={draft} text={text} readOnly={!mayEdit} onChange={setText}>
        <Versions query={query} onLoad={(version) => setText(graphText(version.graph))} />
      </GraphEditor>
    </>
  );
}

/** One query as graph, JSON and versions. */
export function QueryPage() {
  const { query: id = "" } = useParams();
  const query = useQueryDefinition(id);
  if (query.isPending) return <Waiting>Loading the query…</Waiting>;
  if (query.isError) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  return <Designer key={query.data.id} query={query.data} />;
}
