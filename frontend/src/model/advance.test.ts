import { expect, test } from "vitest";
import { advanceWords, lateWord } from "./advance";
import type { AdvanceTimeSettings } from "./api";

test("without settings time moves by the adapter's CTIs alone and late events are dropped", () => {
  expect(advanceWords(undefined)).toEqual([
    "Time advances only by CTIs that the adapter sends.",
    "Late events are dropped.",
  ]);
});

test("a preset says both, and is named", () => {
  const preset = { preset: "watermark(5s)" };
  expect(advanceWords(preset)).toEqual(["Time advances, and late events are treated, as watermark(5s) says."]);
  expect(lateWord(preset)).toBe("watermark(5s)");
});

test("every setting beside the clock has its sentence", () => {
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
    "Each value of device has a clock of its own.",
    "A lane that is silent for 30s follows the wall clock.",
    "Events more than 1m beyond their arrival are dropped.",
  ]);
});

test("no delay is not told as one", () => {
  for (const delay of ["0s", 0, undefined])
    expect(advanceWords({ generate: { every: 10, delay } } as AdvanceTimeSettings)[0]).not.toContain("minus");
  expect(advanceWords({ generate: { every: 10, delay: "-1tick" } } as AdvanceTimeSettings)[0]).toContain(
    "minus -1tick",
  );
});
