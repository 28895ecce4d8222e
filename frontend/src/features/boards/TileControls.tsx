import { counted } from "../../lib/numbers";
import { type BoardTile, resized } from "../../model/boards/tiles";

interface TileControlsProps {
  tile: BoardTile;
  isFirst: boolean;
  isLast: boolean;
  /** The tile is being dragged to another place. */
  onDrag: () => void;
  onMove: (by: -1 | 1) => void;
  onChange: (tile: BoardTile) => void;
  onRemove: () => void;
}

/** Moves, resizes, renames and removes a tile by buttons, in words. */
export function TileControls({ tile, isFirst, isLast, onDrag, onMove, onChange, onRemove }: TileControlsProps) {
  const { title, width = 4, height = 2 } = tile;
  const button = (words: string, label: string, act: () => void, disabled = false) => (
    <button type="button" className="button" aria-label={`${label}: ${title}`} disabled={disabled} onClick={act}>
      {words}
    </button>
  );
  const resize = (columns: number, rows: number) => () => onChange(resized(tile, columns, rows));
  return (
    <div className="tile-controls">
      <input
        className="input"
        aria-label={`Title of the tile ${title}`}
        value={title}
        onChange={(event) => onChange({ ...tile, title: event.target.value })}
      />
      {tile.kind === "text" ? (
        <textarea
          className="input"
          aria-label={`Text of the tile ${title}`}
          rows={3}
          value={tile.text}
          onChange={(event) => onChange({ ...tile, text: event.target.value })}
        />
      ) : null}
      <div className="row">
        <span className="tile-handle" draggable aria-hidden="true" title="Drag to another place" onDragStart={onDrag}>
          ⠿
        </span>
        {button("←", "Move earlier", () => onMove(-1), isFirst)}
        {button("→", "Move later", () => onMove(1), isLast)}
        {button("Narrower", "Make narrower", resize(-1, 0), width <= 2)}
        {button("Wider", "Make wider", resize(1, 0), width >= 12)}
        {button("Lower", "Make lower", resize(0, -1), height <= 1)}
        {button("Higher", "Make higher", resize(0, 1), height >= 6)}
        {button("Remove", "Remove the tile", onRemove)}
      </div>
      <p className="quiet" role="status">
        {width} of 12 columns, {counted(height, "row")}
      </p>
    </div>
  );
}
