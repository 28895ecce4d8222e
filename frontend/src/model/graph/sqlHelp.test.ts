import { expect, test } from "vitest";
import { pageAt } from "./sqlHelp";

const TEXT = `INSERT INTO out -- WHERE it goes
SELECT STREAM COUNT(*) AS n, 'where' AS s
FROM a LEFT ANTI JOIN b ON a.k = b.k
WINDOW BY COUNT 3 EMIT FINAL;
ADVANCE TIME a EVERY 1 DELAY 4s FINAL LATE DROP;`;

const at = (before: string) => pageAt(TEXT, TEXT.indexOf(before) + before.length);

test("the words at the caret lead to their page, the longest phrase first", () => {
  expect(at("INSERT IN")).toBe("output");
  expect(at("LEFT A")).toBe("anti_join");
  expect(at("ANTI JOI")).toBe("anti_join");
  expect(at("LATE DR")).toBe("advance_time");
  expect(at("EMIT FIN")).toBe("window");
  expect(at("4s FIN")).toBe("advance_time");
});

test("COUNT is a window after WINDOW BY, and an aggregate elsewhere", () => {
  expect(at("WINDOW BY COU")).toBe("window_count");
  expect(at("SELECT STREAM COU")).toBe("aggregates");
});

test("names, comments and quoted texts have no page", () => {
  expect([at("INTO ou"), at("-- WHE"), at("'whe"), pageAt("", 0)]).toEqual([null, null, null, null]);
});
