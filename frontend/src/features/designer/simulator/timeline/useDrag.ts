import { type PointerEvent, useEffect, useRef, useState } from "react";

export interface Dragged {
  dx: number;
  dy: number;
}

const FROM_PIXELS = 3;

interface DragHandlers {
  /** Called for a press without a move. */
  onPress: () => void;
  /** Called with the distance when the pointer is released. */
  onDrop: (dragged: Dragged) => void;
  disabled?: boolean;
}

interface Press {
  x: number;
  y: number;
  /** The pointer has left the place of the press: a drag, even if it returns. */
  moved: boolean;
}

/**
 * Follow the pointer from a press until its release; Escape or a lost pointer cancels the drag. The distance is kept in a
 * ref, because the pointer may be released before its last move is rendered.
 */
export function useDrag({ onPress, onDrop, disabled = false }: DragHandlers) {
  const from = useRef<Press | null>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const end = () => {
    from.current = null;
    setDragged(null);
  };
  const dragging = dragged !== null;
  useEffect(() => {
    if (!dragging) return undefined;
    const giveUp = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      from.current = null;
      setDragged(null);
    };
    window.addEventListener("keydown", giveUp);
    return () => window.removeEventListener("keydown", giveUp);
  }, [dragging]);
  const follow = (press: Press, event: PointerEvent<Element>): Dragged => {
    const moved = { dx: event.clientX - press.x, dy: event.clientY - press.y };
    press.moved ||= !disabled && Math.hypot(moved.dx, moved.dy) > FROM_PIXELS;
    return moved;
  };
  return {
    dragged,
    handlers: {
      onPointerDown: (event: PointerEvent<Element>) => {
        if (event.button !== 0) return;
        from.current = { x: event.clientX, y: event.clientY, moved: false };
        if (!disabled) event.currentTarget.setPointerCapture(event.pointerId);
        event.stopPropagation();
      },
      onPointerMove: (event: PointerEvent<Element>) => {
        const press = from.current;
        if (press === null) return;
        const moved = follow(press, event);
        if (press.moved) setDragged(moved);
      },
      onPointerUp: (event: PointerEvent<Element>) => {
        const press = from.current;
        if (press === null) return;
        const moved = follow(press, event);
        end();
        if (press.moved) onDrop(moved);
        else onPress();
      },
      onPointerCancel: end,
    },
  };
}
