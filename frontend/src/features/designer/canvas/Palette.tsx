/** Every kind of node with a sentence, in groups: click to add one, or drag it onto the canvas. */

import { KINDS, NODE_KINDS, type NodeKind, paletteGroups } from "../../../model/graphEdit/kinds";
import { KIND_LABELS } from "../../../model/summary";

const DRAGGED = "application/x-punctual-node";

/** The kind that is dragged, where it is one of ours. */
export function draggedKind(data: DataTransfer): NodeKind | null {
  const kind = data.getData(DRAGGED);
  return NODE_KINDS.find((each) => each === kind) ?? null;
}

interface PaletteProps {
  /** What a new node does with what is there, in a sentence. */
  says: string;
  /** Kinds that make no sense at this place. */
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
