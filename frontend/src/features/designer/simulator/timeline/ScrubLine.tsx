import { type PointerEvent, useRef } from "react";
import { usePosition, usePositionStore } from "../position";

/**
 * The draggable line between arrived rows and pending rows, which are faint. Both move by transforms, so that no step
 * causes layout or paint.
 */
export function ScrubLine({ rowHeight, height }: { rowHeight: number; height: number }) {
  const store = usePositionStore();
  const position = usePosition();
  const dragging = useRef(false);
  const y = Math.min(position * rowHeight, height);
  const follow = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    if (dragging.current && box !== undefined) store.set((event.clientY - box.top) / rowHeight);
  };
  return (
    <>
      <div className="sim-future" style={{ transform: `translateY(${y}px)` }} />
      <div
        className="sim-scrub"
        style={{ transform: `translateY(${y}px)` }}
        title="Drag to move through the sample; rows above the line have arrived"
        onPointerDown={(event) => {
          dragging.current = true;
          event.currentTarget.setPointerCapture(event.pointerId);
          event.preventDefault();
        }}
        onPointerMove={follow}
        onPointerUp={() => {
          dragging.current = false;
        }}
        onPointerCancel={() => {
          dragging.current = false;
        }}
      >
        <span className="sim-scrub-handle" />
      </div>
    </>
  );
}
