import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useParams } from "react-router";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { UsesPanel } from "../../components/dependencies/Uses";
import { DraftGuard } from "../../components/forms/DraftGuard";
import { ErrorNote, Notice, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { useReason, useSlug } from "../../lib/account/session";
import type { QueryResponse, VersionResponse } from "../../model/api";
import { differs, savingReason, useDraft } from "./draft";
import { GraphEditor } from "./GraphEditor";
import type { Storing } from "./page/designer";
import { QueryActions } from "./QueryActions";
import { QueryLabels } from "./QueryLabels";
import { RunButton } from "./RunButton";
import { useCreateVersion, useQueryDefinition } from "./requests";
import { MergePanel } from "./versions/MergePanel";

function savedWords(version: VersionResponse, before: VersionResponse): string {
  if (version.number !== before.number) return `Saved as version ${version.number}.`;
  return version.text === before.text
    ? "No changes to save."
    : `Saved. The meaning is unchanged, so it is still version ${version.number}.`;
}

interface SaveVersionProps {
  comment: string;
  onComment: (comment: string) => void;
  onSave: () => void;
  saving: boolean;
  /** The reason why there is nothing to save; null if there is something. */
  reason: string | null;
  /** True if the user's role may save. */
  mayEdit: boolean;
  /** True if the user's role may not run the query. */
  isPrimary: boolean;
}

function SaveVersion({ comment, onComment, onSave, saving, reason, mayEdit, isPrimary }: SaveVersionProps) {
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
      <ReasonedButton reason={reason} kind={isPrimary ? "primary" : "plain"} onClick={onSave}>
        {saving ? "Saving…" : "Save new version"}
      </ReasonedButton>
    </>
  );
}

/** Return what a query page edits and saves: the base version, the draft, and the result of the last save. */
function useSaving(query: QueryResponse) {
  const { current } = query;
  const [base, setBase] = useState(current);
  const [comment, setComment] = useState("");
  const [saved, setSaved] = useState<{ version: string; words: string } | null>(null);
  const draft = useDraft(current, `query ${query.id}`, current.id);
  const saving = useCreateVersion(query.id);
  const beginUpon = (version: VersionResponse) => {
    setBase(version);
    draft.beginUpon(version.text, version.id);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page switches to a new version once, when it arrives
  useEffect(() => {
    if (current.id !== base.id && !draft.kept.dirty()) beginUpon(current);
  }, [current.id]);
  const store = async (body: { text: string; comment: string }, over?: string): Promise<VersionResponse | null> => {
    if (saving.isPending) return null;
    const onStored = (version: VersionResponse) => {
      setSaved({ version: version.id, words: savedWords(version, base) });
      beginUpon(version);
      setComment("");
    };
    const parent = over ?? (draft.kept.value.upon || base.id);
    return saving.mutateAsync({ body: { ...body, parent }, onStored }).catch(() => null); // the page shows why
  };
  const save = async (over?: string) => (draft.storable === null ? null : store({ ...draft.storable, comment }, over));
  const message = saved?.version === base.id ? saved.words : ""; // only for the version on display
  const latest = useRef(store);
  latest.current = store;
  const { error } = saving;
  const storing = useMemo((): Storing => {
    const storeText = (text: string, why: string) => void latest.current({ text, comment: why });
    return { message: error === null ? message : "", error, store: storeText };
  }, [message, error]);
  const reload = () => {
    saving.reset();
    beginUpon(current);
  };
  const merged = (text: string) => {
    reload();
    draft.act.replaceText(text);
  };
  return { base, comment, setComment, message, draft, saving, storing, save, reload, merged };
}

function QueryUses({ id }: { id: string }) {
  const slug = useSlug();
  return (
    <UsesPanel
      kind="query"
      id={id}
      none={
        <>
          No binding uses it yet. Run creates one with the streams that the query names. To choose other streams or
          settings, <Link to={`/t/${slug}/runs?new=${id}`}>create one yourself</Link>.
        </>
      }
    />
  );
}

function Designer({ query }: { query: QueryResponse }) {
  const slug = useSlug();
  const edit = useReason("edit");
  const mayRun = useReason("operate") === null;
  const { base, comment, setComment, message, draft, saving, storing, save, reload, merged } = useSaving(query);
  const changed = differs(draft, base);
  return (
    <>
      <PageHead
        title={query.name}
        crumb={{ to: `/t/${slug}/queries`, label: "Queries" }}
        beside={<span className="mark" data-tone="idle">{`version ${base.number}${changed ? ", changed" : ""}`}</span>}
        actions={
          <>
            <SaveVersion
              comment={comment}
              onComment={setComment}
              onSave={() => void save()}
              saving={saving.isPending}
              reason={edit ?? (changed ? savingReason(draft) : "Nothing has changed yet.")}
              mayEdit={edit === null}
              isPrimary={!mayRun}
            />
            <RunButton query={query} unsaved={changed ? { reason: savingReason(draft), save } : null} />
          </>
        }
      />
      <DraftGuard draft={draft.kept} what="the query" save={async () => (await save()) !== null} />
      <ErrorNote error={saving.error} />
      <MergePanel
        error={saving.error}
        query={query.id}
        base={draft.kept.value.upon || base.id}
        theirs={query.current}
        mine={draft.storable?.text ?? null}
        onMerged={merged}
        onReload={reload}
        onOverwrite={() => void save(query.current.id)}
      />
      {message && !saving.isError ? (
        <Notice tone="good">
          <p>{message}</p>
        </Notice>
      ) : null}
      <GraphEditor draft={draft} readOnly={edit !== null} query={query} storing={storing}>
        <QueryUses id={query.id} />
        <QueryLabels query={query} />
        <QueryActions query={query} />
      </GraphEditor>
    </>
  );
}

/** One query as graph, text and versions. */
export function QueryPage() {
  const { query: id = "" } = useParams();
  const query = useQueryDefinition(id);
  if (query.isPending) return <Waiting>Loading the query…</Waiting>;
  if (query.isError) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  return <Designer key={query.data.id} query={query.data} />;
}
