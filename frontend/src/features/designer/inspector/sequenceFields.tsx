/** Inputs of a sequence: its pattern, where the search continues, and lists as JSON. */

import { type FieldTexts, TypedField } from "./fields";

type Change = { value: unknown; onChange: (value: unknown) => void };

export function PatternField({ value, onChange, ...texts }: Change & FieldTexts) {
  const commit = (typed: string) => {
    if (typed.trim() === "") return "Enter variables, for example A B+ C.";
    onChange(typed);
    return null;
  };
  return <TypedField {...texts} value={String(value ?? "")} commit={commit} />;
}

const WORDS = /^to (first|last) ([A-Za-z_]\w{0,62})$/i;
const PLAIN: Readonly<Record<string, string>> = { "past last row": "past_last_row", "to next row": "next_row" };

/** Return the words after AFTER MATCH SKIP. */
export function afterMatchWords(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    const [side = "last", variable = ""] = Object.entries(value)[0] ?? [];
    return `to ${side} ${String(variable)}`;
  }
  return value === "next_row" ? "to next row" : "past last row";
}

/** Return the value for the words after AFTER MATCH SKIP; null if they mean nothing. */
export function readAfterMatch(words: string): unknown {
  const plain = PLAIN[words.trim().toLowerCase().replaceAll(/\s+/g, " ")];
  if (plain !== undefined) return plain;
  const [, side = "", variable = ""] = WORDS.exec(words.trim().replaceAll(/\s+/g, " ")) ?? [];
  return side === "" ? null : { [side.toLowerCase()]: variable };
}

export function AfterMatchField({ value, onChange, ...texts }: Change & FieldTexts) {
  const commit = (typed: string) => {
    const read = readAfterMatch(typed);
    if (read === null) return "Enter past last row, to next row, to first A or to last A.";
    onChange(read);
    return null;
  };
  return <TypedField {...texts} mono={false} value={afterMatchWords(value)} commit={commit} />;
}

/** Return a field for a list of objects as JSON; `example` is one such list. */
export function ListField({ value, onChange, example, ...texts }: Change & FieldTexts & { example: string }) {
  const commit = (typed: string) => {
    if (typed.trim() === "") {
      onChange([]);
      return null;
    }
    try {
      const read: unknown = JSON.parse(typed);
      if (!Array.isArray(read) || read.some((each) => typeof each !== "object" || each === null)) {
        return `Enter a list, for example ${example}.`;
      }
      onChange(read);
      return null;
    } catch {
      return `Invalid JSON. Enter for example ${example}.`;
    }
  };
  const rows = Array.isArray(value) ? value : [];
  return <TypedField {...texts} value={rows.length === 0 ? "" : JSON.stringify(rows)} commit={commit} />;
}
