import { type PointerEvent, useEffect, useRef, useState } from "react";

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

interface Press {
  x: number;
  y: number;
  /** It has left the place of the press, and is a drag even if it comes back. */
  moved: boolean;
}

/**
 * Follows the pointer from a press until it is let go; Escape or a lost pointer gives it up. What counts is kept beside
 * what is drawn: a pointer may be let go before its last move was drawn.
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
