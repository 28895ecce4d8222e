import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useParams } from "react-router";
import { DraftGuard } from "../../components/DraftGuard";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedButton } from "../../components/Reasoned";
import { UsesPanel } from "../../components/Uses";
import { useReason, useSlug } from "../../lib/session";
import type { QueryShown, VersionShown } from "../../model/api";
import { differs, savingReason, useDraft } from "./draft";
import { GraphEditor } from "./GraphEditor";
import type { Storing } from "./page/designer";
import { QueryActions } from "./QueryActions";
import { RunIt } from "./RunIt";
import { useCreateVersion, useQueryDefinition } from "./requests";
import { MergePanel } from "./versions/MergePanel";

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

/** What a query page edits and saves: the version that it is begun upon, the draft, and what was said of the last saving. */
function useSaving(query: QueryShown) {
  const { current } = query;
  const [base, setBase] = useState(current);
  const [comment, setComment] = useState("");
  const [said, setSaid] = useState("");
  const draft = useDraft(current, `query ${query.id}`, current.id);
  const saving = useCreateVersion(query.id);
  const beginUpon = (version: VersionShown) => {
    setBase(version);
    draft.beginUpon(version.text, version.id);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown follows a new version once, when it comes
  useEffect(() => {
    if (current.id !== base.id && !draft.kept.dirty()) beginUpon(current);
  }, [current.id]);
  const store = (body: { text: string; comment: string }, over?: string) => {
    if (saving.isPending) return;
    const onSuccess = (version: VersionShown) => {
      setSaid(savedWords(version, base));
      beginUpon(version);
      setComment("");
    };
    saving.mutate({ ...body, parent: over ?? (draft.kept.value.upon || base.id) }, { onSuccess });
  };
  const save = (over?: string) => {
    if (draft.storable !== null) store({ ...draft.storable, comment }, over);
  };
  const latest = useRef(store);
  latest.current = store;
  const { error } = saving;
  const storing = useMemo((): Storing => {
    const storeText = (text: string, why: string) => latest.current({ text, comment: why });
    return { said: error === null ? said : "", error, store: storeText };
  }, [said, error]);
  const reload = () => {
    saving.reset();
    beginUpon(current);
  };
  const merged = (text: string) => {
    reload();
    draft.act.replaceText(text);
  };
  return { base, comment, setComment, said, draft, saving, storing, save, reload, merged };
}

function Designer({ query }: { query: QueryShown }) {
  const slug = useSlug();
  const edit = useReason("edit");
  const { base, comment, setComment, said, draft, saving, storing, save, reload, merged } = useSaving(query);
  const changed = differs(draft, base);
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
            onSave={() => save()}
            saving={saving.isPending}
            reason={edit ?? (changed ? savingReason(draft) : "Nothing is changed yet.")}
            mayEdit={edit === null}
          />
        }
      />
      <DraftGuard draft={draft.kept} />
      <ErrorNote error={saving.error} />
      <MergePanel
        error={saving.error}
        query={query.id}
        base={draft.kept.value.upon || base.id}
        theirs={query.current}
        mine={draft.storable?.text ?? null}
        onMerged={merged}
        onReload={reload}
        onOverwrite={() => save(query.current.id)}
      />
      {said && !saving.isError ? (
        <Notice tone="good">
          <p>{said}</p>
        </Notice>
      ) : null}
      <GraphEditor draft={draft} readOnly={edit !== null} query={query} storing={storing}>
        <UsesPanel
          kind="query"
          id={query.id}
          none={
            <>
              No binding runs it yet. <Link to={`/t/${slug}/runs?new=${query.id}`}>Make one</Link>, then start it. Or
              bind it to the streams that it names, and start it at once: <RunIt query={query} />
            </>
          }
        />
        <QueryActions query={query} />
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
