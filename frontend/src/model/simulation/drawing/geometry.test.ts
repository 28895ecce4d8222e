import { expect, test } from "vitest";
import { paneBoxes, rowsInView, staircaseLine } from "./geometry";
import { axisMarks, edgeOf, placeOf, tickAt, zoomed } from "./scale";

const SECOND = 1_000_000;
const SCALE = { from: 0, to: 30 * SECOND, width: 300 };

function pane(id: number, start: number, complete: number | null) {
  const end = (start + 10) * SECOND;
  const rest = { node: "w", group: {}, states: [], spoke: [], missed: [], why: [], gone: null, into: null };
  return { id, start: start * SECOND, end, opened: 1, complete, closed: complete, ...rest };
}

test("the line has a step where a CTI moves, and is at the edge when out of view", () => {
  const steps = [
    { after: 2, at: 5 * SECOND, cause: "generated" as const },
    { after: 3, at: null, cause: "end" as const },
  ];
  const line = staircaseLine({ node: "s", lane: null, substream: null, steps }, SCALE, 10, { from: 0, to: 4 });
  expect(line).toBe("M50.0 20 L50.0 30 L300.0 30 L300.0 40");
});

test("a partially drawn line starts at its value above", () => {
  const steps = [{ after: 1, at: 5 * SECOND, cause: "generated" as const }];
  const line = staircaseLine({ node: "s", lane: null, substream: null, steps }, SCALE, 10, { from: 5, to: 7 });
  expect(line).toBe("M50.0 50 L50.0 70");
});

test("a pane's rectangle ends where the CTI crosses its right edge, or at the end of the sample", () => {
  const [first, second] = paneBoxes([pane(1, 0, 9), pane(2, 10, null)], SCALE, 10, 15);
  expect([first?.x, first?.width, first?.top, first?.bottom]).toEqual([0, 100, 0, 90]);
  expect([second?.x, second?.bottom]).toEqual([100, 150]);
});

test("panes of several groups at the same time are one rectangle", () => {
  const boxes = paneBoxes([pane(1, 0, 3), pane(2, 0, 5)], SCALE, 10, 9);
  expect(boxes.map((box) => [box.panes.map(({ id }) => id), box.bottom])).toEqual([[[1, 2], 50]]);
});

test("only visible rows are drawn, with some around them", () => {
  expect(rowsInView(0, 100, 10, 500, 2)).toEqual({ from: 0, to: 12 });
  expect(rowsInView(1_000, 100, 10, 500, 2)).toEqual({ from: 98, to: 112 });
  expect(rowsInView(9_000, 100, 10, 5, 2)).toEqual({ from: 5, to: 5 });
});

test("positions and ticks convert back and forth, infinity is the right edge, and zooming keeps the point under the pointer", () => {
  expect(tickAt(SCALE, placeOf(SCALE, 12 * SECOND))).toBe(12 * SECOND);
  expect([edgeOf(SCALE, null), edgeOf(SCALE, -5 * SECOND)]).toEqual([300, 0]);
  expect(tickAt(zoomed(SCALE, 2, 100), 100)).toBe(10 * SECOND);
});

test("ticks of the axis are at round times, with the date where a day starts", () => {
  expect(axisMarks(SCALE).map(({ time, date }) => [time, date])).toEqual([
    ["00:00:00", "1970-01-01"],
    ["00:00:10", null],
    ["00:00:20", null],
    ["00:00:30", null],
  ]);
});
