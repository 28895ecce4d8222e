import { type PointerEvent, useRef, useState } from "react";

export interface Dragged {
  dx: number;
  dy: number;
}

const FROM_PIXELS = 3;

interface DragHandlers {
  /** A press without a move. */
  onPress: () => void;
  /** Where it was let go. */
  onDrop: (dragged: Dragged) => void;
  disabled?: boolean;
}

/** Follows the pointer from a press until it is let go; Escape or a lost pointer gives it up. */
export function useDrag({ onPress, onDrop, disabled = false }: DragHandlers) {
  const from = useRef<{ x: number; y: number } | null>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const end = () => {
    from.current = null;
    setDragged(null);
  };
  return {
    dragged,
    handlers: {
      onPointerDown: (event: PointerEvent<Element>) => {
        if (event.button !== 0) return;
        from.current = { x: event.clientX, y: event.clientY };
        if (!disabled) event.currentTarget.setPointerCapture(event.pointerId);
        event.stopPropagation();
      },
      onPointerMove: (event: PointerEvent<Element>) => {
        if (from.current === null || disabled) return;
        const moved = { dx: event.clientX - from.current.x, dy: event.clientY - from.current.y };
        if (dragged !== null || Math.hypot(moved.dx, moved.dy) > FROM_PIXELS) setDragged(moved);
      },
      onPointerUp: () => {
        if (from.current === null) return;
        if (dragged === null) onPress();
        else onDrop(dragged);
        end();
      },
      onPointerCancel: end,
    },
  };
}
