import { expect, test } from "vitest";
import {
  delayOf,
  durationText,
  forceWord,
  lateOf,
  withDelay,
  withGenerate,
  withImport,
  withLate,
  withoutGenerate,
  withPreset,
} from "./advanceEdits";

const SECOND = 1_000_000;

test("durations are written exactly, in the largest unit with a whole number", () => {
  expect([0, -1, 12 * SECOND, 1_500_000, 90 * SECOND, 3_600 * SECOND, 7].map(durationText)).toEqual([
    "0s",
    "-1tick",
    "12s",
    "1500ms",
    "90s",
    "1h",
    "7us",
  ]);
});

test("a preset with a delay argument keeps its name; others are spelled out", () => {
  expect(withDelay({ preset: "watermark(5s)" }, 12 * SECOND)).toEqual({ preset: "watermark(12s)" });
  expect(withDelay({ preset: "azure(5s, 1h, shift)" }, SECOND).preset).toBe("azure(1s, 1h, shift)");
  expect(withDelay({ preset: "increasing_start_time" }, 2 * SECOND)).toEqual({
    preset: null,
    generate: { every: 1, delay: "2s", basis: "last", final: true },
    late: "drop",
  });
});

test("one setting is changed, and the others stay", () => {
  const own = {
    generate: { every: 3, delay: "4s", basis: "max" as const, final: true },
    late: "adjust" as const,
    over: "k",
  };
  expect(withDelay(own, 12 * SECOND)).toEqual({ ...own, generate: { ...own.generate, delay: "12s" } });
  expect(withLate(own, "shift")).toEqual({ ...own, late: "shift" });
  expect(withGenerate({ preset: "lenses" }, { every: "10s" })).toEqual({
    preset: null,
    generate: { every: "10s", delay: 0, basis: "max", final: false },
    late: "keep",
  });
});

test("the settings in force are read from presets too", () => {
  expect([delayOf({ preset: "watermark(5s)" }), delayOf({ preset: "rowtime" }), delayOf({ late: "drop" })]).toEqual([
    5 * SECOND,
    0,
    null,
  ]);
  expect([lateOf({ preset: "lenses" }), lateOf({ preset: "azure(1s,1h,shift)" }), lateOf(undefined)]).toEqual([
    "keep",
    "shift",
    "drop",
  ]);
  expect(withPreset({ late: "keep", generate: { every: 1 }, over: "k" }, "watermark")).toEqual({
    preset: "watermark(5s)",
    generate: null,
    late: null,
    over: "k",
  });
});

test("an input copies the CTIs of another one, with or without its own", () => {
  const own = { generate: { every: 10, delay: "5s" }, late: "adjust" as const };
  expect(withImport(own, "cars")).toEqual({ ...own, import_from: "cars" });
  expect(withImport(withoutGenerate(own), "cars")).toEqual({ generate: null, late: "adjust", import_from: "cars" });
  expect(withImport({ preset: "watermark(5s)" }, "cars")).toEqual({ preset: "watermark(5s)", import_from: "cars" });
  expect(withImport(withImport(own, "cars"), null)).toEqual({ ...own, import_from: null });
  expect(withoutGenerate({ preset: "lenses" })).toEqual({ preset: null, generate: null, late: "keep" });
});

test("`today` is for the query's own settings, without any on trial", () => {
  const tried = { cars: { generate: { every: 1, delay: "5s" }, late: "drop" } };
  expect(forceWord({}, ["cars"])).toBe("today");
  expect(forceWord(tried, ["cars"])).toBe("tried");
  expect(forceWord(tried, ["roads"])).toBe("today");
  expect(forceWord(tried, ["roads", "cars"])).toBe("tried");
});
