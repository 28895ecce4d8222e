import { expect, test } from "vitest";
import type { Track, TrackRow } from "../types";
import { emitsRowAt, layoutOf } from "./tracks";

const ROW: TrackRow = {
  id: 1,
  node: "out",
  after: 2,
  gone_after: null,
  start: 0,
  end: 10,
  closed_after: null,
  closed_end: null,
  payload: { n: 1 },
  edge: null,
  deleted: false,
  replaces: null,
  closes: null,
  parents: [],
  rows: [1],
  released_by: 2,
  released_cti: 10,
  pane: null,
  why: [],
};
const SCALE = { from: 0, to: 100, width: 1_000 };

function trackOf(...rows: Partial<TrackRow>[]): Track {
  return { node: "out", kind: "output", rows: rows.map((row, index) => ({ ...ROW, id: index + 1, ...row })) };
}

test("a track is laid out again only where it changes", () => {
  const track = trackOf({ after: 2, gone_after: 5 }, { after: 5, start: 20, end: 30 });
  const at = (position: number) => layoutOf(track, SCALE, position);
  expect(at(1).count).toBe(0);
  const two = at(2);
  expect(two.drawn.map(({ row }) => row.id)).toEqual([1]);
  expect(at(4)).toBe(two);
  expect(at(5).drawn.map(({ row }) => row.id)).toEqual([2]);
  expect(layoutOf(track, { ...SCALE, to: 50 }, 5).drawn[0]?.x).toBe(400);
});

test("an edge is drawn with its end once that is known", () => {
  const track = trackOf({ after: 1, end: null, closed_after: 4, closed_end: 40 });
  expect(layoutOf(track, SCALE, 3).drawn[0]?.end).toBeNull();
  expect(layoutOf(track, SCALE, 4).drawn[0]?.end).toBe(40);
});

test("rows that don't fit into the lines are counted", () => {
  const track = trackOf(...Array.from({ length: 11 }, () => ({ after: 1, start: 0, end: 50 })));
  const { drawn, hidden, count } = layoutOf(track, SCALE, 1);
  expect([drawn.length, hidden, count]).toEqual([8, 3, 11]);
});

test("labels extend to the next row of the line; many short rows have no labels", () => {
  const two = trackOf({ after: 1, start: 0, end: 1 }, { after: 1, start: 20, end: 21 });
  expect(layoutOf(two, SCALE, 1).drawn.map(({ line, room }) => [line, room])).toEqual([
    [0, 200],
    [0, 800],
  ]);
  const many = trackOf(...Array.from({ length: 40 }, (_, at) => ({ after: 1, start: at * 0.4, end: at * 0.4 })));
  const { drawn, hidden } = layoutOf(many, SCALE, 1);
  expect([drawn.length, hidden, Math.max(...drawn.map(({ line }) => line))]).toEqual([40, 0, 1]);
});

test("a track emits at the positions at which it changes", () => {
  const track = trackOf({ after: 2, gone_after: 5 });
  expect([1, 2, 3, 5, 6].filter((position) => emitsRowAt(track, position))).toEqual([2, 5]);
});
