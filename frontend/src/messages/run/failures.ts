import type { ExpressionFailed } from "../../model/api";

export type FailureKind = ExpressionFailed["kind"];

/** The cause of a null expression, as shown in the column "Cause". */
export const FAILURE_WORDS: Record<FailureKind, string> = {
  overflow: "a number outside the range of its type (a long has 64 bits)",
  division_by_zero: "a division by zero",
  cast: "a failed cast",
  argument: "an invalid argument of a function",
  too_long: "a value longer than 1 MiB",
  function_failed: "a failed call of a function in WebAssembly (a trap, fuel, memory, or an invalid result)",
  skip_target: "a match whose next search can't start at the row that AFTER MATCH names",
  pattern_too_complex: "an attempt that tried more than 1,000,000 conditions",
};

/** Return "a / b" for a filter, "total: a * b" for a column; an uninformative name is omitted. */
export function expressionWords({ field, text }: Pick<ExpressionFailed, "field" | "text">): string {
  return text === field || field === "where" || field === "by" || field === "expression" ? text : `${field}: ${text}`;
}

/** Return the operands of the failed operation, for example "a = 7, b = 0". */
export function exampleWords(example: ExpressionFailed["example"]): string {
  return Object.entries(example)
    .map(([name, value]) => `${name} = ${value ?? "null"}`)
    .join(", ");
}

/** Return the number of failures in expressions that are not listed. */
export function unlisted(listed: readonly Pick<ExpressionFailed, "count">[], failed: number): number {
  return failed - listed.reduce((sum, { count }) => sum + count, 0);
}
