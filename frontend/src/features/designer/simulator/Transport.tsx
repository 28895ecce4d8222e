import { useEffect, useRef, useState } from "react";
import { Choices } from "../../../components/actions/Choices";
import { counted } from "../../../model/text/counts";
import { usePosition, usePositionStore } from "./position";

const SPEEDS = [
  [0.5, "½×"],
  [1, "1×"],
  [2, "2×"],
  [5, "5×"],
  [20, "20×"],
] as const;
const ROWS_PER_SECOND = 1.6;

type Speed = (typeof SPEEDS)[number][0];

/** Let rows arrive one after the other, in real time, until the end. */
function usePlaying(speed: Speed) {
  const store = usePositionStore();
  const [playing, setPlaying] = useState(false);
  const carried = useRef(0);
  useEffect(() => {
    if (!playing) return undefined;
    let before: number | null = null;
    let frame = 0;
    const step = (now: number) => {
      carried.current += ((now - (before ?? now)) / 1_000) * ROWS_PER_SECOND * speed;
      before = now;
      const rows = Math.floor(carried.current);
      carried.current -= rows;
      if (rows > 0) store.set(store.get() + rows);
      if (store.get() >= store.last()) setPlaying(false);
      else frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, store]);
  const toggle = () => {
    if (!playing && store.get() >= store.last()) store.set(0);
    setPlaying(!playing);
  };
  return { playing, toggle, pause: () => setPlaying(false) };
}

function positionWords(position: number, rows: number): string {
  if (position > rows) return `All ${counted(rows, "row")} arrived; end of the sample.`;
  return `${position} of ${counted(rows, "row")} arrived.`;
}

/** Playback controls: the number of arrived rows. */
export function Transport({ rows, readOnly }: { rows: number; readOnly: boolean }) {
  const store = usePositionStore();
  const position = usePosition();
  const [speed, setSpeed] = useState<Speed>(1);
  const { playing, toggle, pause } = usePlaying(speed);
  const go = (to: number) => {
    pause();
    store.set(to);
  };
  return (
    <div className="sim-transport" data-scrubbed={position <= rows || undefined}>
      <div className="row">
        <button type="button" className="button" onClick={() => go(0)}>
          <span aria-hidden="true">|◀</span> start
        </button>
        <button type="button" className="button" onClick={() => go(position - 1)}>
          <span aria-hidden="true">◀</span> step back
        </button>
        <button type="button" className="button" aria-pressed={playing} onClick={toggle}>
          <span aria-hidden="true">{playing ? "❚❚" : "▶"}</span> {playing ? "pause" : "play"}
        </button>
        <button type="button" className="button" onClick={() => go(position + 1)}>
          step <span aria-hidden="true">▶</span>
        </button>
        <button type="button" className="button" onClick={() => go(rows + 1)}>
          end <span aria-hidden="true">▶|</span>
        </button>
        <Choices label="Speed" options={SPEEDS} value={speed} onChange={setSpeed} />
      </div>
      <input
        type="range"
        aria-label="Rows that have arrived"
        aria-valuetext={positionWords(position, rows)}
        min={0}
        max={rows + 1}
        value={position}
        onChange={(event) => go(Number(event.target.value))}
      />
      <p className="small quiet">
        <span>{positionWords(position, rows)}</span>
        {readOnly ? "" : " Drag the line, or drag rows up, down or sideways; the results update."}
      </p>
    </div>
  );
}
