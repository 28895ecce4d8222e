import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { TextField } from "../../components/forms/Field";
import { FaultyForm } from "../../components/forms/FieldFaults";
import { FormButtons } from "../../components/forms/FormEnd";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Scroll } from "../../components/page/Scroll";
import { IsoInstant } from "../../components/values/Instant";
import { useReason, useSlug } from "../../lib/account/session";
import { useBoardChanges, useBoards } from "../../lib/resources/boards";
import type { BoardSummary } from "../../model/api";
import { emptyBoard, nameOf } from "../../model/boards/tiles";

function NewBoard({ onClose }: { onClose: () => void }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const { create } = useBoardChanges();
  const [title, setTitle] = useState("");
  const making = useMutation({
    mutationFn: () => create(nameOf(title), emptyBoard(title.trim())),
    onSuccess: ({ id }) => navigate(`/t/${slug}/boards/${id}?edit`),
  });
  const submit = () => {
    if (!making.isPending) making.mutate();
  };
  const help = title.trim() === "" ? "For example: Tolling, morning desk" : `Name in files: ${nameOf(title)}`;
  return (
    <FaultyForm error={making.error} paths={["definition.title"]} onSubmit={submit}>
      <TextField label="Title" path="definition.title" value={title} onChange={setTitle} help={help} required />
      <FormButtons words={["Create board", "Creating…"]} isPending={making.isPending} onCancel={onClose} />
    </FaultyForm>
  );
}

function BoardTable({ boards }: { boards: readonly BoardSummary[] }) {
  const slug = useSlug();
  return (
    <Scroll label="Table of boards" panel>
      <table>
        <thead>
          <tr>
            <th>Board</th>
            <th>Name in files</th>
            <th className="num">Tiles</th>
            <th className="num">Version</th>
            <th>Changed (UTC)</th>
            <th>By</th>
          </tr>
        </thead>
        <tbody>
          {boards.map((board) => (
            <tr key={board.id}>
              <th scope="row">
                <Link to={`/t/${slug}/boards/${board.id}`}>{board.title}</Link>
              </th>
              <td>
                <code>{board.name}</code>
              </td>
              <td className="num">{board.tiles}</td>
              <td className="num">{board.version}</td>
              <td>
                <IsoInstant iso={board.changed_at} />
              </td>
              <td>{board.author}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The boards of the organisation. */
export function BoardsPage() {
  const boards = useBoards();
  const refused = useReason("edit");
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <PageHead
        title="Boards"
        actions={
          <ReasonedButton reason={refused} kind="primary" onClick={() => setOpen(true)}>
            New board
          </ReasonedButton>
        }
      />
      {boards.isPending ? <Waiting>Loading the boards…</Waiting> : null}
      <ErrorNote error={boards.error} onRetry={() => void boards.refetch()} />
      {boards.data?.length === 0 ? (
        <div className="panel">
          <Empty title="No boards yet">
            <p>A board shows charts of results and the lateness of several queries on one page. Create one, or press</p>
            <p>“Add to a board” next to a chart of results.</p>
          </Empty>
        </div>
      ) : null}
      {boards.data === undefined || boards.data.length === 0 ? null : <BoardTable boards={boards.data} />}
      <ModalDialog title="New board" open={open} onClose={close}>
        <NewBoard onClose={close} />
      </ModalDialog>
    </>
  );
}
