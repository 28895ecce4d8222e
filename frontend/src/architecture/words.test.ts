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

/** Patterns that only the listed files may contain. */
const ALONE: readonly (readonly [string, RegExp, readonly string[]])[] = [
  ["a number as people read it", /toLocaleString|Intl\.NumberFormat/, ["model/text/counts.ts", "lib/numbers.ts"]],
  [
    "a figure with fewer digits than it has",
    /\.to(Precision|Fixed)\(/,
    [
      "lib/numbers.ts", // shares and rates
      "model/run/freshness.ts", // what batches cost
      "messages/organisation/quotas.ts", // sizes
      "model/simulation/drawing/geometry.ts", // places on a drawing
      "model/simulation/drawing/whatIfCurve.ts",
      "model/time/ticks.ts", // spans
      "model/binding/timeline.ts", // sizes
      "messages/results/whyLate.ts", // a span, to the last tick
    ],
  ],
  ["a date or a time", /toLocale(Date|Time)String|Intl\.DateTimeFormat|toDateString|toUTCString/, []],
  ["a moment as ISO text", /toISOString/, ["model/time/ticks.ts"]],
  ["where something is to be changed", /[Cc]hange (the|its|this) (stream|binding|query)\b/, []],
  ["one or many", /[!=]== 1\s*\?/, ["model/text/counts.ts"]],
  ["a count before its noun", new RegExp(`\\}(</\\w+>)?\\s+(${NOUNS})(?![\\w/(=.:,}]|\\s*/?>)`), []],
];

/** Texts in which a number before a noun is not a count. */
const NO_COUNTS = ["{node.expression} ticks from the start"];

test.each(ALONE)("%s is written by one function", (_, pattern, by) => {
  const found = files.filter((file) => {
    const text = NO_COUNTS.reduce((rest, each) => rest.replaceAll(each, ""), readFileSync(join(SRC, file), "utf8"));
    return pattern.test(text);
  });
  expect(found.filter((file) => !by.includes(file))).toEqual([]);
});
