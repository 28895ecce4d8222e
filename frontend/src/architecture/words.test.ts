import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "..");
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.startsWith("generated"),
);

const NOUNS =
  "rows|events|bytes|seconds|minutes|hours|days|bindings|streams|queries|files|lines|members|tokens|invitations|" +
  "accounts|faults|errors|warnings|characters|lanes|windows|groups|nodes|places|people|organisations|values|columns|" +
  "fields|batches|versions|secrets|results|exports|ticks|cores|inputs|outputs|reports|points";

/** What each text may be written by alone, and what of it nobody else writes. */
const ALONE: readonly (readonly [string, RegExp, readonly string[]])[] = [
  ["a number as people read it", /toLocaleString|Intl\.NumberFormat/, ["model/counts.ts", "lib/numbers.ts"]],
  ["a date or a time", /toLocale(Date|Time)String|Intl\.DateTimeFormat|toDateString|toUTCString/, []],
  ["a moment as ISO text", /toISOString/, ["model/ticks.ts"]],
  ["where something is to be changed", /[Cc]hange (the|its|this) (stream|binding|query)\b/, []],
  ["one or many", /[!=]== 1\s*\?/, ["model/counts.ts"]],
  ["a count before its noun", new RegExp(`\\}(</\\w+>)?\\s+(${NOUNS})(?![\\w/(=.:,}]|\\s*/?>)`), []],
];

/** Where a count is none: a text that a person wrote, or a unit. */
const NO_COUNTS = ["{node.expression} ticks from the start"];

test.each(ALONE)("%s is written by one function", (_, pattern, by) => {
  const found = files.filter((file) => {
    const text = NO_COUNTS.reduce((rest, each) => rest.replaceAll(each, ""), readFileSync(join(SRC, file), "utf8"));
    return pattern.test(text);
  });
  expect(found.filter((file) => !by.includes(file))).toEqual([]);
});
