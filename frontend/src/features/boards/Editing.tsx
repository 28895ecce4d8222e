import { useMutation } from "@tanstack/react-query";
import { ErrorNote } from "../../components/notices/Notices";
import { useBoardChanges } from "../../lib/resources/boards";
import type { BoardDefinition, BoardResponse } from "../../model/api";
import { AddTile } from "./AddTile";

interface EditingProps {
  board: BoardResponse;
  draft: BoardDefinition;
  onChange: (change: Partial<BoardDefinition>) => void;
  onEnd: () => void;
}

/** The form of a board in work: title, filters, a further tile, and saving. */
export function Editing({ board, draft, onChange, onEnd }: EditingProps) {
  const { change } = useBoardChanges();
  const saving = useMutation({ mutationFn: () => change(board, draft), onSuccess: onEnd });
  const lines = (text: string) => text.split("\n").filter((line) => line.trim() !== "");
  return (
    <div className="panel board-form">
      <label>
        Title{" "}
        <input className="input" value={draft.title} onChange={(event) => onChange({ title: event.target.value })} />
      </label>
      <label>
        Filters of all charts, one FIELD:VALUE a line{" "}
        <textarea
          className="input"
          rows={2}
          defaultValue={(draft.where ?? []).join("\n")}
          onChange={(event) => onChange({ where: lines(event.target.value) })}
        />
      </label>
      <div className="row">
        <AddTile onAdd={(tile) => onChange({ tiles: [...(draft.tiles ?? []), tile] })} />
        <button
          type="button"
          className="button"
          data-kind="primary"
          disabled={saving.isPending}
          onClick={() => saving.mutate()}
        >
          {saving.isPending ? "Saving…" : "Save"}
        </button>
        <button type="button" className="button" onClick={onEnd}>
          Cancel
        </button>
      </div>
      <ErrorNote error={saving.error} />
    </div>
  );
}
