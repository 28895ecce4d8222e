import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { readPreference, storePreference } from "../../lib/browser/preferences";

const LEAST = 30;
const MOST = 75;
const STEP = 5;

function within(percent: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.round(percent)));
}

interface SplitProps {
  /** `across`: side by side; `down`: one above the other, on wide screens too. */
  direction?: "across" | "down";
  /** The browser stores the position under this key. */
  name: string;
  /** The label of the separator, for screen readers. */
  label: string;
  /** The initial width or height of the first part, in percent. */
  start: number;
  first: ReactNode;
  /** Null gives all of the space to the first part. */
  second: ReactNode | null;
}

/** Two panes with a separator that moves by mouse, touch or arrow keys. On narrow screens the panes are stacked. */
export function Split({ direction = "across", name, label, start, first, second }: SplitProps) {
  const isDown = direction === "down";
  const place = useRef<HTMLDivElement | null>(null);
  const [percent, setPercent] = useState(() => within(Number(readPreference(`${name}-split`) ?? start)));
  const settle = (next: number) => {
    setPercent(within(next));
    storePreference(`${name}-split`, String(within(next)));
  };
  const drag = (event: PointerEvent) => {
    const box = place.current?.getBoundingClientRect();
    if (event.buttons !== 1 || box === undefined) return;
    settle(isDown ? (100 * (event.clientY - box.top)) / box.height : (100 * (event.clientX - box.left)) / box.width);
  };
  const press = (event: KeyboardEvent) => {
    const [less, more] = isDown ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const by = { [less]: -STEP, [more]: STEP, Home: -100, End: 100 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    settle(percent + by);
  };
  if (second === null) return <div className="stack">{first}</div>;
  return (
    <div
      className="split"
      data-direction={direction}
      ref={place}
      style={{ "--split": `${percent}fr`, "--rest": `${100 - percent}fr` } as object}
    >
      <div className="split-part">{first}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no <hr> */}
      <div
        className="split-line"
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation={isDown ? "horizontal" : "vertical"}
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
