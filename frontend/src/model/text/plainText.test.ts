import { expect, test } from "vitest";
import { spelt } from "./plainText";

test("invisible and direction-changing characters are spelt out; others stay", () => {
  expect(spelt("abc\u202Egpj.exe\u2069\u0000")).toBe("abc⟨U+202E⟩gpj.exe⟨U+2069⟩⟨U+0000⟩");
  expect(spelt('{"a": "שלום ü 日本\t"}\n')).toBe('{"a": "שלום ü 日本\t"}\n');
});
