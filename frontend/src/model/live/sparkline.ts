/** A line of values in a small box; a gap where nothing is known. */

export interface SparkBox {
  width: number;
  height: number;
}

export interface Spark {
  /** SVG path data, one part for each span of known values. */
  path: string;
  /** The last value's point if it is known. */
  end: Point | null;
}

const MARGIN = 2;

/** Return a place with one digit after the point: finer ones make only the drawing longer. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

interface Point {
  x: number;
  y: number;
}

/** Return the points of known values, in parts without a gap. */
function partsOf(values: readonly (number | null)[], pointOf: (value: number, index: number) => Point): Point[][] {
  const parts: Point[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) parts.push([]);
    else parts.at(-1)?.push(pointOf(value, index));
  }
  return parts.filter((part) => part.length > 0);
}

/** Return the line of `values`, from zero up to the largest one; null: unknown, which interrupts the line. */
export function sparkOf(values: readonly (number | null)[], { width, height }: SparkBox): Spark {
  const known = values.filter((value) => value !== null);
  const most = Math.max(1, ...known);
  const across = (width - 2 * MARGIN) / Math.max(1, values.length - 1);
  const parts = partsOf(values, (value, index) => ({
    x: rounded(MARGIN + index * across),
    y: rounded(height - MARGIN - (value * (height - 2 * MARGIN)) / most),
  }));
  const path = parts.map((part) => {
    const line = part.map(({ x, y }) => `${x} ${y}`).join("L");
    return `M${line}${part.length > 1 ? "" : "h.1"}`; // a line of no length would not be drawn
  });
  const isKnown = (values.at(-1) ?? null) !== null;
  return { path: path.join(""), end: isKnown ? (parts.at(-1)?.at(-1) ?? null) : null };
}
