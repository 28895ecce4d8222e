import { expect, test } from "vitest";
import type { AdvanceTimeSettings } from "../../model/api";
import { advanceWords, lateWord } from "./advance";

test("without settings only the adapter's CTIs advance time, and late events are dropped", () => {
  expect(advanceWords(undefined)).toEqual([
    "Time advances only by CTIs that the adapter sends.",
    "Late events are dropped.",
  ]);
});

test("a preset sets both, and is named", () => {
  const preset = { preset: "watermark(5s)" };
  expect(advanceWords(preset)).toEqual([
    "The preset watermark(5s) sets how time advances and what happens to late events.",
  ]);
  expect(lateWord(preset)).toBe("watermark(5s)");
});

test("each other setting has its sentence", () => {
  const words = advanceWords({
    import_from: "prices",
    late: "drop",
    over: "device",
    idle_after: "30s",
    idle: "advance",
    max_ahead: "1m",
    future: "drop",
  });
  expect(words).toEqual([
    "The CTIs of prices are copied.",
    "Late events are dropped.",
    "Each value of device has its own clock.",
    "A lane that is silent for 30s follows the wall clock.",
    "Events more than 1m ahead of their arrival are dropped.",
  ]);
});

test("a missing delay is not mentioned", () => {
  for (const delay of ["0s", 0, undefined])
    expect(advanceWords({ generate: { every: 10, delay } } as AdvanceTimeSettings)[0]).not.toContain("minus");
  expect(advanceWords({ generate: { every: 10, delay: "-1tick" } } as AdvanceTimeSettings)[0]).toContain(
    "minus -1tick",
  );
});
