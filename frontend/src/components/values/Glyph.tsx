import { type Glyph, OUTCOME_WORDS, type Outcome } from "../../model/run/outcomes";

/** Paths in a square of 12 by 12. */
export const GLYPH_SHAPES: Record<Glyph, string> = {
  disc: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9z",
  ring: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9zM6 4a2 2 0 1 1 0 4a2 2 0 1 1 0-4z",
  triangle: "M6 1L11.2 10.5H.8z",
  arrow: "M1 3.6h5V1l5.2 5L6 11V8.4H1z",
  diamond: "M6 .6L11.4 6L6 11.4L.6 6z",
  cross: "M2.4 .8L6 4.4L9.6 .8L11.2 2.4L7.6 6L11.2 9.6L9.6 11.2L6 7.6L2.4 11.2L.8 9.6L4.4 6L.8 2.4z",
  bolt: "M7 .5L2 6.8h3L4.4 11.5L10 5H6.6z",
  "box-cross": "M1 1h10v10H1zM4.2 3L3 4.2L4.8 6L3 7.8L4.2 9L6 7.2L7.8 9L9 7.8L7.2 6L9 4.2L7.8 3L6 4.8z",
  bars: "M1.5 1.5h3.2v9H1.5zM7.3 1.5h3.2v9H7.3z",
  square: "M1.5 1.5h9v9h-9zM3.2 5.2v1.6h5.6V5.2z",
};

/** The shape of an outcome in its colour; the word appears next to it. */
export function OutcomeGlyph({ outcome }: { outcome: Outcome }) {
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" style={{ color: `var(--${outcome})` }}>
      <path d={GLYPH_SHAPES[OUTCOME_WORDS[outcome].glyph]} fill="currentColor" fillRule="evenodd" />
    </svg>
  );
}

export function OutcomeMark({ outcome }: { outcome: Outcome }) {
  return (
    <span className="outcome" style={{ color: `var(--${outcome})` }} title={OUTCOME_WORDS[outcome].meaning}>
      <OutcomeGlyph outcome={outcome} />
      {OUTCOME_WORDS[outcome].label}
    </span>
  );
}
