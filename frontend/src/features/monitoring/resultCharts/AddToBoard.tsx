import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { SelectField, TextField } from "../../../components/forms/Field";
import { FaultyForm } from "../../../components/forms/FieldFaults";
import { FormButtons } from "../../../components/forms/FormEnd";
import { useReason, useSlug } from "../../../lib/account/session";
import { useBoardChanges, useBoards } from "../../../lib/resources/boards";
import { chartTitle } from "../../../messages/results/chartWords";
import type { BoardResponse } from "../../../model/api";
import { chartTile, emptyBoard, nameOf } from "../../../model/boards/tiles";
import type { ChartDefinition } from "../../../model/results/chart";

interface AddFormProps {
  binding: string;
  definition: ChartDefinition;
  onAdded: (board: BoardResponse) => void;
  onCancel: () => void;
}

function AddForm({ binding, definition, onAdded, onCancel }: AddFormProps) {
  const boards = useBoards();
  const { load, create, change } = useBoardChanges();
  const [title, setTitle] = useState(chartTitle(definition));
  const [board, setBoard] = useState("");
  const [boardTitle, setBoardTitle] = useState("");
  const adding = useMutation({
    mutationFn: async () => {
      const tile = chartTile(title.trim(), binding, definition);
      if (board === "") return create(nameOf(boardTitle), { ...emptyBoard(boardTitle.trim()), tiles: [tile] });
      const present = await load(board);
      return change(present, { ...present.definition, tiles: [...(present.definition.tiles ?? []), tile] });
    },
    onSuccess: onAdded,
  });
  const options = [["", "A new board"], ...(boards.data ?? []).map((each) => [each.id, each.title] as const)] as const;
  const submit = () => {
    if (!adding.isPending) adding.mutate();
  };
  const ranged = definition.from !== "" || definition.to !== "";
  return (
    <FaultyForm error={adding.error} paths={[]} onSubmit={submit}>
      <TextField label="Title of the tile" value={title} onChange={setTitle} required />
      <SelectField label="Board" value={board} options={options} onChange={setBoard} />
      {board === "" ? (
        <TextField label="Title of the board" value={boardTitle} onChange={setBoardTitle} required />
      ) : null}
      {ranged ? <p className="quiet">The tile has the range of its board, not the one of this chart.</p> : null}
      <FormButtons words={["Add", "Adding…"]} isPending={adding.isPending} onCancel={onCancel} />
    </FaultyForm>
  );
}

/** A button that adds a chart of results to a board. */
export function AddToBoard({ binding, definition }: { binding: string; definition: ChartDefinition }) {
  const slug = useSlug();
  const refused = useReason("edit");
  const [open, setOpen] = useState(false);
  const [added, setAdded] = useState<BoardResponse | null>(null);
  const close = () => setOpen(false);
  const reason = definition.run === "" ? refused : "A board shows all runs. Choose “all runs” first.";
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setOpen(true)}>
        Add to a board
      </ReasonedButton>
      {added === null ? null : (
        <p role="status">
          Added to <Link to={`/t/${slug}/boards/${added.id}`}>{added.definition.title}</Link>.
        </p>
      )}
      <ModalDialog title="Add this chart to a board" open={open} onClose={close}>
        <AddForm
          binding={binding}
          definition={definition}
          onCancel={close}
          onAdded={(board) => {
            setAdded(board);
            close();
          }}
        />
      </ModalDialog>
    </>
  );
}
