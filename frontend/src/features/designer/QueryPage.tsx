import { useState } from "react";
import { useParams } from "react-router";
import { IsoInstant } from "../../components/Instant";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { ReasonedButton } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { useReason, useSlug } from "../../lib/session";
import type { QueryShown, VersionShown } from "../../model/api";
import { differs, savingReason, useDraft } from "./draft";
import { GraphEditor } from "./GraphEditor";
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

function savedWords(version: VersionShown, before: VersionShown): string {
  if (version.number !== before.number) return `Saved as version ${version.number}.`;
  return version.text === before.text
    ? "Nothing had changed."
    : `Saved. The query means the same, so it is still version ${version.number}.`;
}

interface SaveVersionProps {
  comment: string;
  onComment: (comment: string) => void;
  onSave: () => void;
  saving: boolean;
  /** Why there is nothing that could be stored; null if there is. */
  reason: string | null;
  /** Whether my role may store at all. */
  mayEdit: boolean;
}

function SaveVersion({ comment, onComment, onSave, saving, reason, mayEdit }: SaveVersionProps) {
  return (
    <>
      <input
        className="input comment"
        aria-label="Comment for the new version"
        placeholder="What changed?"
        maxLength={500}
        value={comment}
        readOnly={!mayEdit}
        onChange={(event) => onComment(event.target.value)}
      />
      <ReasonedButton reason={reason} kind="primary" onClick={onSave}>
        {saving ? "Saving…" : "Save a new version"}
      </ReasonedButton>
    </>
  );
}

function Designer({ query }: { query: QueryShown }) {
  const slug = useSlug();
  const edit = useReason("edit");
  const [base, setBase] = useState(query.current);
  const [comment, setComment] = useState("");
  const [said, setSaid] = useState("");
  const draft = useDraft(query.current);
  const saving = useCreateVersion(query.id);
  const changed = differs(draft, base);

  const save = () => {
    if (draft.storable === null || saving.isPending) return;
    saving.mutate(
      { ...draft.storable, parent: base.id, comment },
      {
        onSuccess: (version) => {
          setSaid(savedWords(version, base));
          setBase(version);
          draft.load(version);
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
          <SaveVersion
            comment={comment}
            onComment={setComment}
            onSave={save}
            saving={saving.isPending}
            reason={edit ?? (changed ? savingReason(draft) : "Nothing is changed yet.")}
            mayEdit={edit === null}
          />
        }
      />
      <ErrorNote error={saving.error} />
      {said && !saving.isError ? (
        <Notice tone="good">
          <p>{said}</p>
        </Notice>
      ) : null}
      <GraphEditor draft={draft} readOnly={edit !== null}>
        <Versions query={query} onLoad={draft.load} />
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
