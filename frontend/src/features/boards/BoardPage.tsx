import { useState } from "react";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";
import { Choices } from "../../components/actions/Choices";
import { ConfirmedAction } from "../../components/actions/ConfirmedAction";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { useReason, useSlug } from "../../lib/account/session";
import { usePageKeys } from "../../lib/browser/pageKeys";
import { useBoard, useBoardChanges } from "../../lib/resources/boards";
import type { BoardDefinition, BoardResponse } from "../../model/api";
import { type BoardTile, definitionOf } from "../../model/boards/tiles";
import { RANGES } from "../../model/live/ranges";
import { chartParams } from "../../model/results/chart";
import { counted } from "../../model/text/counts";
import { Editing } from "./Editing";
import { Grid } from "./Grid";
import { FiguresContext, useMemberFigures } from "./requests";
import "./boards.css";

const BOARD_RANGES = [[0, "all"], ...RANGES] as const;

/** The actions of a board that isn't edited. */
function Actions({ board, onEdit }: { board: BoardResponse; onEdit: () => void }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const refused = useReason("edit");
  const { remove } = useBoardChanges();
  return (
    <>
      <ConfirmedAction
        reason={refused}
        opener="Delete…"
        title={`Delete the board ${board.definition.title}?`}
        words={["Delete the board", "Deleting…"]}
        keep="Keep it"
        act={() => remove(board.id)}
        onDone={() => navigate(`/t/${slug}/boards`)}
      >
        <p>Its tiles and versions are deleted. The queries and their results stay.</p>
      </ConfirmedAction>
      <ReasonedButton reason={refused} kind="primary" onClick={onEdit}>
        Edit
      </ReasonedButton>
    </>
  );
}

/** Return the range of the address, of a board that isn't edited; else the board's own. */
function rangeOf(address: string | null, own: number | null): number | null {
  const chosen = BOARD_RANGES.find(([value]) => String(value) === address)?.[0];
  return chosen === undefined ? own : chosen || null;
}

function pageOf(tile: BoardTile): string | null {
  if (tile.kind === "text") return null;
  if (tile.kind !== "chart") return `live/${tile.binding}`;
  return `live/${tile.binding}/results?${chartParams({ ...definitionOf(tile), where: tile.where ?? [] })}`;
}

/** The query of a tile, as a link to the page that the tile quotes. */
function Source({ tile, gone }: { tile: BoardTile; gone: readonly string[] }) {
  const slug = useSlug();
  if (tile.kind === "text") return null;
  if (gone.includes(tile.binding)) return <span className="quiet">{tile.binding_name} (deleted)</span>;
  return <Link to={`/t/${slug}/${pageOf(tile)}`}>{tile.binding_name || "query"}</Link>;
}

function NoTiles({ editing }: { editing: boolean }) {
  return (
    <div className="panel">
      <Empty title="No tiles yet">
        <p>{editing ? "Press “Add tile”" : "Press Edit and add a tile"}, or press “Add to a board” next to a chart.</p>
      </Empty>
    </div>
  );
}

function headWords({ version, author }: BoardResponse, tiles: readonly BoardTile[]): string {
  const queries = new Set(tiles.flatMap((tile) => (tile.kind === "text" ? [] : [tile.binding]))).size;
  return `version ${version} by ${author} · ${counted(tiles.length, "tile")} of ${counted(queries, "query", "queries")}`;
}

function Shown({ board }: { board: BoardResponse }) {
  const slug = useSlug();
  const [params, setParams] = useSearchParams();
  const refused = useReason("edit");
  const [draft, setDraft] = useState<BoardDefinition | null>(params.has("edit") ? board.definition : null);
  const { title, tiles = [], where = [], seconds: own = null } = draft ?? board.definition;
  const seconds = rangeOf(draft === null ? params.get("seconds") : null, own);
  const figures = useMemberFigures(seconds, where);
  const change = (part: Partial<BoardDefinition>) => setDraft((known) => ({ ...(known ?? board.definition), ...part }));
  const setRange = (value: number) => {
    if (draft === null) setParams({ seconds: String(value) }, { replace: true });
    else change({ seconds: (value || null) as NonNullable<BoardDefinition["seconds"]> | null });
  };
  const edit = () => {
    if (refused === null && draft === null) setDraft(board.definition);
  };
  usePageKeys([{ key: "e", words: "edit the board", act: edit }]);
  const endEditing = () => {
    setDraft(null);
    setParams({}, { replace: true });
  };
  return (
    <FiguresContext value={figures}>
      <PageHead
        title={title}
        crumb={{ to: `/t/${slug}/boards`, label: "Boards" }}
        beside={<span className="quiet">{headWords(board, tiles)}</span>}
        actions={
          <>
            <Choices label="Range" options={BOARD_RANGES} value={seconds ?? 0} onChange={setRange} />
            {draft === null ? <Actions board={board} onEdit={edit} /> : null}
          </>
        }
      />
      {draft === null && where.length > 0 ? <p className="quiet">Charts are filtered by {where.join(", ")}.</p> : null}
      {draft === null ? null : <Editing board={board} draft={draft} onChange={change} onEnd={endEditing} />}
      {tiles.length === 0 ? <NoTiles editing={draft !== null} /> : null}
      <Grid
        tiles={tiles}
        source={(tile) => <Source tile={tile} gone={board.gone} />}
        {...(draft !== null && { onChange: (next: BoardTile[]) => change({ tiles: next }) })}
      />
    </FiguresContext>
  );
}

/** A board: charts of results and lateness tiles of several queries. */
export function BoardPage() {
  const { board = "" } = useParams();
  const { data, error, refetch } = useBoard(board);
  if (data === undefined)
    return error === null ? (
      <Waiting>Loading the board…</Waiting>
    ) : (
      <ErrorNote error={error} onRetry={() => void refetch()} />
    );
  return <Shown key={data.id} board={data} />;
}
