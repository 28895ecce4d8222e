import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { keep, kept } from "../lib/kept";

const LEAST = 30;
const MOST = 75;
const STEP = 5;

function within(percent: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.round(percent)));
}

interface SplitProps {
  /** Under this name the browser remembers what the reader chose. */
  name: string;
  /** What the separator is between, for screen readers. */
  label: string;
  /** Per cent of the width that the first part has at the beginning. */
  start: number;
  first: ReactNode;
  /** Null leaves all of the room to the first part. */
  second: ReactNode | null;
}

/** Two parts beside each other; the line between them is moved by mouse, finger or arrow keys. One below the other where it is narrow. */
export function Split({ name, label, start, first, second }: SplitProps) {
  const place = useRef<HTMLDivElement | null>(null);
  const [percent, setPercent] = useState(() => within(Number(kept(`${name}-split`) ?? start)));
  const settle = (next: number) => {
    setPercent(within(next));
    keep(`${name}-split`, String(within(next)));
  };
  const drag = (event: PointerEvent) => {
    const box = place.current?.getBoundingClientRect();
    if (event.buttons !== 1 || box === undefined) return;
    settle((100 * (event.clientX - box.left)) / box.width);
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP, Home: -100, End: 100 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    settle(percent + by);
  };
  if (second === null) return <div className="stack">{first}</div>;
  return (
    <div className="split" ref={place} style={{ "--split": `${percent}fr`, "--rest": `${100 - percent}fr` } as object}>
      <div className="split-part">{first}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no <hr> */}
      <div
        className="split-line"
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        aria-valuenow={percent}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={press}
        onDoubleClick={() => settle(start)}
      />
      <div className="split-part">{second}</div>
    </div>
  );
}
