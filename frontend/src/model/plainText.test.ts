import { expect, test } from "vitest";
import { spelt } from "./plainText";

test("what turns text around, or is not seen, is spelt out; all else stays", () => {
  expect(spelt("abc\u202Egpj.exe\u2069\u0000")).toBe("abc⟨U+202E⟩gpj.exe⟨U+2069⟩⟨U+0000⟩");
  expect(spelt('{"a": "שלום ü 日本\t"}\n')).toBe('{"a": "שלום ü 日本\t"}\n');
});
