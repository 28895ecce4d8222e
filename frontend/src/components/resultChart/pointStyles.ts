/** The look of points: final is solid, provisional dashed and pale, repaired striped, dropped hatched in red. */

import { token } from "../../lib/browser/theme";
import type { PointState } from "../../model/results/chart";

const TILE = 7;

interface PatternFill {
  image: string;
  repeat: "repeat";
  imageWidth: number;
  imageHeight: number;
}

/** Return diagonal lines on a ground as an image, because ECharts' SVG needs one; the CSP allows `data:`. */
function diagonals(ground: string, line: string): PatternFill {
  const lines = `<path d="M-2 2L2-2M0 ${TILE}L${TILE} 0M5 9L9 5" stroke="${line}" stroke-width="1.6"/>`;
  const back = `<rect width="${TILE}" height="${TILE}" fill="${ground}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${TILE}" height="${TILE}">${back}${lines}</svg>`;
  const image = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return { image, repeat: "repeat", imageWidth: TILE, imageHeight: TILE };
}

export interface PointPalette {
  ink: string;
  quiet: string;
  line: string;
  surface: string;
  good: string;
  series: readonly string[];
  heat: readonly string[];
  dropped: PatternFill;
  droppedLine: string;
  unknown: PatternFill;
}

export function pointPalette(): PointPalette {
  const surface = token("--surface");
  return {
    ink: token("--ink"),
    quiet: token("--ink-2"),
    line: token("--line"),
    surface,
    good: token("--good"),
    series: [1, 2, 3, 4, 5, 6].map((number) => token(`--series-${number}`)),
    heat: [1, 2, 3, 4, 5, 6].map((number) => token(`--heat-${number}`)),
    dropped: diagonals(surface, token("--bad")),
    droppedLine: token("--bad"),
    unknown: diagonals(surface, token("--line-strong")),
  };
}

export function seriesColour({ series }: PointPalette, index: number): string {
  return series[index % series.length] ?? "";
}

/** Return the style of an area in `colour` with the state of its point. */
export function areaStyle(palette: PointPalette, colour: string, state: PointState): object {
  if (state === "provisional")
    return { color: colour, opacity: 0.35, borderColor: colour, borderWidth: 1, borderType: "dashed" };
  if (state === "undecided") return { color: colour, opacity: 0.35, borderColor: palette.quiet, borderType: "dotted" };
  if (state === "repaired") return { color: diagonals(colour, palette.surface) };
  return { color: colour };
}
