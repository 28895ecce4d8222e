/** Every kind of node with a sentence, in groups. Click to add one, or drag it onto the canvas. */

import { KIND_LABELS } from "../../../messages/definition/summary";
import { KINDS, NODE_KINDS, type NodeKind, paletteGroups } from "../../../model/graph/edit/kinds";

const DRAGGED = "application/x-punctual-node";

/** Return the dragged kind, if it is one of ours. */
export function draggedKind(data: DataTransfer): NodeKind | null {
  const kind = data.getData(DRAGGED);
  return NODE_KINDS.find((each) => each === kind) ?? null;
}

interface PaletteProps {
  /** A sentence about where the new node is inserted. */
  says: string;
  /** Kinds that make no sense at this position. */
  without?: readonly NodeKind[];
  onPick: (kind: NodeKind) => void;
  onClose: () => void;
}

export function Palette({ says, without = [], onPick, onClose }: PaletteProps) {
  return (
    <section
      className="palette"
      aria-label="Kinds of nodes"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <p className="row">
        <span className="quiet small">{says}</span>
        <button type="button" className="link" onClick={onClose}>
          Close
        </button>
      </p>
      <div className="palette-groups">
        {paletteGroups().map(([group, kinds]) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {kinds
              .filter((kind) => !without.includes(kind))
              .map((kind) => (
                <button
                  key={kind}
                  type="button"
                  className="palette-kind"
                  draggable
                  onDragStart={(event) => {
                    event.dataTransfer.setData(DRAGGED, kind);
                    event.dataTransfer.effectAllowed = "copy";
                  }}
                  onClick={() => onPick(kind)}
                >
                  <strong>{KIND_LABELS[kind]}</strong> <span>{KINDS[kind].sentence}</span>
                </button>
              ))}
          </fieldset>
        ))}
      </div>
    </section>
  );
}
