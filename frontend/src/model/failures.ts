import type { ExpressionFailed } from "./api";

export type FailureKind = ExpressionFailed["kind"];

/** Why an expression gave null, in words that go on from "null because of". */
export const FAILURE_WORDS: Record<FailureKind, string> = {
  overflow: "a number beyond its type (a long has 64 bits)",
  division_by_zero: "a division by zero",
  cast: "a failed cast",
  argument: "an argument that the function does not take",
  too_long: "a value longer than 1 MiB",
};

/** "a / b" of a filter, "total: a * b" of a column: the name is left out where it says nothing. */
export function expressionWords({ field, text }: Pick<ExpressionFailed, "field" | "text">): string {
  return text === field || field === "where" || field === "by" || field === "expression" ? text : `${field}: ${text}`;
}

/** What the failed operation met, such as "a = 7, b = 0". */
export function exampleWords(example: ExpressionFailed["example"]): string {
  return Object.entries(example)
    .map(([name, value]) => `${name} = ${value ?? "null"}`)
    .join(", ");
}

/** How many failures are in expressions that are not listed. */
export function unlisted(listed: readonly Pick<ExpressionFailed, "count">[], failed: number): number {
  return failed - listed.reduce((sum, { count }) => sum + count, 0);
}
