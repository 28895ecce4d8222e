import { type CSSProperties, type DragEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { type BoardTile, COLUMNS, moved, resized } from "../../model/boards/tiles";
import { Tile } from "./Tile";
import { TileControls } from "./TileControls";
import "./boards.css";

const ROW_PX = 122;

/** A corner that resizes a tile by dragging; the buttons of the tile do the same by keyboard. */
function Corner({ tile, onChange }: { tile: BoardTile; onChange: (tile: BoardTile) => void }) {
  const start = useRef<{ x: number; y: number; column: number; tile: BoardTile } | null>(null);
  const begin = (event: PointerEvent<HTMLDivElement>) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    const grid = event.currentTarget.closest(".board-grid");
    start.current = { x: event.clientX, y: event.clientY, column: (grid?.clientWidth ?? 1200) / COLUMNS, tile };
  };
  const move = (event: PointerEvent) => {
    if (start.current === null) return;
    const { x, y, column, tile: before } = start.current;
    onChange(resized(before, Math.round((event.clientX - x) / column), Math.round((event.clientY - y) / ROW_PX)));
  };
  const end = () => {
    start.current = null;
  };
  return (
    <div className="tile-corner" aria-hidden="true" onPointerDown={begin} onPointerMove={move} onPointerUp={end} />
  );
}

interface GridProps {
  tiles: readonly BoardTile[];
  source?: (tile: BoardTile) => ReactNode;
  /** Absent while the board isn't edited. */
  onChange?: (tiles: BoardTile[]) => void;
}

/** The tiles of a board in 12 columns; while it is edited, they are moved by dragging their titles. */
export function Grid({ tiles, source, onChange }: GridProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const replace = (at: number) => (next: BoardTile) => onChange?.(tiles.map((each, i) => (i === at ? next : each)));
  const drop = (at: number) => (event: DragEvent) => {
    event.preventDefault();
    if (dragged !== null) onChange?.(moved(tiles, dragged, at));
    setDragged(null);
  };
  return (
    <div className="board-grid">
      {tiles.map((tile, at) => (
        <section
          // biome-ignore lint/suspicious/noArrayIndexKey: tiles have no ids, and a moved one may load again
          key={`${at} ${tile.kind}`}
          className="panel board-tile"
          aria-label={tile.title}
          data-kind={tile.kind}
          style={{ "--columns": tile.width ?? 4, "--rows": tile.height ?? 2 } as CSSProperties}
          onDragOver={(event) => event.preventDefault()}
          onDrop={drop(at)}
        >
          <Tile
            tile={tile}
            at={at}
            source={source?.(tile)}
            controls={
              onChange === undefined ? undefined : (
                <TileControls
                  tile={tile}
                  isFirst={at === 0}
                  isLast={at === tiles.length - 1}
                  onDrag={() => setDragged(at)}
                  onMove={(by) => onChange(moved(tiles, at, at + by))}
                  onChange={replace(at)}
                  onRemove={() => onChange(tiles.filter((_, index) => index !== at))}
                />
              )
            }
          />
          {onChange === undefined ? null : <Corner tile={tile} onChange={replace(at)} />}
        </section>
      ))}
    </div>
  );
}
