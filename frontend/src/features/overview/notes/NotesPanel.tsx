import { ActionButton } from "../../../components/actions/ActionButton";
import { ErrorNote } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { Second } from "../../../components/values/Instant";
import { useReason } from "../../../lib/account/session";
import type { AnnotationPage, AnnotationResponse } from "../../../model/api";
import { useNoteChanges } from "./requests";

function NoteRow({ note }: { note: AnnotationResponse }) {
  const mayDelete = useReason("operate") === null;
  const { remove } = useNoteChanges();
  return (
    <tr>
      <td>
        <Second ticks={note.begin} />
      </td>
      <td>{note.end === null ? null : <Second ticks={note.end} />}</td>
      <td className="message">{note.text}</td>
      <td>{note.binding === null ? "all queries" : "this query"}</td>
      <td>{note.by}</td>
      <td>
        {mayDelete ? (
          <ActionButton
            words={["Delete", "Deleting…"]}
            label={`Delete the note “${note.text}”`}
            kind="plain"
            act={() => remove(note.id)}
          />
        ) : null}
      </td>
    </tr>
  );
}

interface NotesPanelProps {
  notes: { data: AnnotationPage | undefined; error: unknown; refetch: () => unknown };
}

/** The notes of the range, the latest first; nothing without one. */
export function NotesPanel({ notes: { data: page, error, refetch } }: NotesPanelProps) {
  if (page === undefined || page.annotations.length === 0) {
    return <ErrorNote error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Panel title="Notes in this range" flush>
      <Scroll label="Table of notes in this range" tall>
        <table className="dense">
          <thead>
            <tr>
              <th>Time (UTC)</th>
              <th>End (UTC)</th>
              <th>Note</th>
              <th>About</th>
              <th>By</th>
              <th>Actions</th>
            </tr>
          </thead>
          <tbody>
            {page.annotations.map((note) => (
              <NoteRow key={note.id} note={note} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {page.next === null ? null : (
        <p className="more quiet">
          Only the newest 200 notes are listed and marked. Choose a shorter range for others.
        </p>
      )}
    </Panel>
  );
}
