/** Faults of a definition: a short title for every code, and the sort order in which they are read. */

import type { Fault, FaultCode, MendTarget } from "./api";
import { counted } from "./counts";

export const FAULT_TITLES: Record<FaultCode, string> = {
  bad_sql: "Not read as SQL",
  bad_file: "File cannot be read",
  in_use: "In use",
  bad_shape: "Wrong shape",
  duplicate_id: "Id used twice",
  reserved_name: "Reserved name",
  unknown_node: "Unknown node",
  unknown_stream: "Unknown stream",
  cycle: "Nodes in a circle",
  no_input: "No input",
  no_output: "No output",
  unused_node: "Unused node",
  output_as_input: "Output used as input",
  bad_expression: "Unreadable expression",
  unknown_field: "Unknown field",
  unknown_function: "Unknown function",
  type_mismatch: "Types do not fit",
  duplicate_name: "Name used twice",
  bad_window: "Impossible window",
  gaps_between_windows: "Gaps between windows",
  too_many_windows: "Too many windows",
  missing_argument: "Missing argument",
  late_not_said: "Late policy not said",
  bad_advance_time: "Impossible advance-time settings",
  no_clock: "Time does not advance",
  bad_schema: "Wrong schema",
  bad_adapter: "Adapter cannot be used",
  bad_duration: "Impossible duration",
  conflicting_arguments: "Conflicting arguments",
  no_effect: "Without effect",
  fields_differ: "Fields differ",
  join_without_keys: "Join without keys",
  bad_empty: "Impossible rows for empty windows",
  provisional_rows: "Provisional rows",
  unknown_input: "Unknown input",
  import_cycle: "CTIs imported in a circle",
  late_keep_refused: "Late events cannot be kept",
  late_results: "Results come late",
  keep_without_grace: "Late events kept without grace",
  windows_not_aligned: "Windows not aligned",
  unbounded_state: "State without bound",
  unknown_preset: "Unknown preset",
  preset_arguments: "Wrong arguments of a preset",
  equal_times_late: "Equal times are late",
  rowtime_needs_points: "Arrival times need points",
  empty_sample: "Nothing was read",
  rows_malformed: "Rows that cannot be read",
  times_ahead: "Times in the future",
  wrong_time_unit: "Times in another unit",
  delay_too_short: "The delay is short for this sample",
  large_state: "Much to keep",
};

/** The page of the guide that explains what a fault is about, where there is one. */
export const GUIDE_PAGES: Partial<Record<FaultCode, string>> = {
  no_input: "input",
  no_output: "output",
  output_as_input: "output",
  bad_expression: "functions",
  unknown_function: "functions",
  bad_window: "window",
  gaps_between_windows: "window_hopping",
  too_many_windows: "window_hopping",
  windows_not_aligned: "window",
  bad_empty: "window",
  unbounded_state: "window",
  provisional_rows: "output",
  late_not_said: "advance_time",
  bad_advance_time: "advance_time",
  no_clock: "advance_time",
  import_cycle: "advance_time",
  late_keep_refused: "advance_time",
  late_results: "advance_time",
  keep_without_grace: "advance_time",
  unknown_preset: "advance_time",
  preset_arguments: "advance_time",
  equal_times_late: "advance_time",
  rowtime_needs_points: "input",
  rows_malformed: "input",
  times_ahead: "advance_time",
  wrong_time_unit: "input",
  delay_too_short: "advance_time",
  fields_differ: "union",
  join_without_keys: "join",
};

/** What can be changed against it, where that is known; the likeliest first. */
export function targetsOf(fault: Fault): readonly MendTarget[] {
  return "mend" in fault ? fault.mend : [];
}

/** What can be changed against any of them, each once. */
export function targetsOfAll(faults: readonly Fault[]): readonly MendTarget[] {
  return [...new Map(faults.flatMap(targetsOf).map((each) => [`${each.kind} ${each.id}`, each])).values()];
}

/** The message, with the character inside the expression where the text around it is not shown. */
export function messageOf(fault: Fault & { at?: number | null; span?: unknown }): string {
  if (fault.at === null || fault.at === undefined || fault.span) return fault.message;
  return `${fault.message.replace(/\.$/, "")} (at character ${fault.at + 1}).`;
}

/** Errors first, then as the checker listed them. */
export function inReadingOrder(faults: readonly Fault[]): Fault[] {
  return faults.toSorted((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
}

/** `2 errors, 1 warning`, or `no faults`. */
export function countWords(faults: readonly Fault[]): string {
  const errors = faults.filter((fault) => fault.severity === "error").length;
  const warnings = faults.length - errors;
  const parts = [errors > 0 ? counted(errors, "error") : "", warnings > 0 ? counted(warnings, "warning") : ""].filter(
    Boolean,
  );
  return parts.length > 0 ? parts.join(", ") : "no faults";
}
