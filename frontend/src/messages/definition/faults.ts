/** Errors of a definition: a short title for every code, and their reading order. */

import type { Fault, FaultCode, FixTarget } from "../../model/api";
import { counted } from "../../model/text/counts";

export const FAULT_TITLES: Record<FaultCode, string> = {
  bad_sql: "Invalid SQL",
  unbounded_following: "Frame without an end",
  bad_file: "Unreadable file",
  in_use: "In use",
  bad_shape: "Wrong structure",
  duplicate_id: "Duplicate id",
  reserved_name: "Reserved name",
  unknown_node: "Unknown node",
  unknown_stream: "Unknown stream",
  cycle: "Cycle of nodes",
  no_input: "No input",
  no_output: "No output",
  unused_node: "Unused node",
  output_as_input: "Output used as input",
  bad_expression: "Invalid expression",
  bad_pattern: "Invalid pattern",
  unknown_field: "Unknown field",
  unknown_function: "Unknown function",
  unknown_module: "Unknown module",
  unknown_export: "Missing export",
  bad_signature: "Signature mismatch",
  bad_module: "Invalid module",
  type_mismatch: "Type mismatch",
  duplicate_name: "Duplicate name",
  bad_window: "Invalid window",
  gaps_between_windows: "Gaps between windows",
  too_many_windows: "Too many windows",
  missing_argument: "Missing argument",
  late_not_said: "Late policy missing",
  bad_advance_time: "Invalid time settings",
  no_clock: "Time does not advance",
  bad_schema: "Invalid schema",
  bad_adapter: "Unusable adapter",
  bad_duration: "Invalid duration",
  conflicting_arguments: "Conflicting arguments",
  no_effect: "No effect",
  fields_differ: "Fields differ",
  join_without_keys: "Join without keys",
  bad_empty: "Invalid rows for empty windows",
  provisional_rows: "Provisional rows",
  unknown_input: "Unknown input",
  import_cycle: "Cycle of imported CTIs",
  late_keep_refused: "Late events can't be kept",
  late_results: "Late results",
  keep_without_grace: "Late events kept without grace",
  windows_not_aligned: "Windows not aligned",
  overlapping_ranks: "Ranked in several windows",
  unbounded_state: "Unbounded state",
  unknown_preset: "Unknown preset",
  preset_arguments: "Invalid preset arguments",
  equal_times_late: "Equal times are late",
  seam_by_time: "The seam may lose late rows",
  seam_gone: "Live rows after the history are gone",
  rowtime_needs_points: "Arrival times need points",
  empty_sample: "Empty sample",
  rows_malformed: "Malformed rows",
  times_ahead: "Times in the future",
  wrong_time_unit: "Times in another unit",
  no_readable_time: "No readable time",
  delay_too_short: "Delay too short for this sample",
  large_state: "Large state",
};

/** The guide page that explains a code, if there is one. */
export const GUIDE_PAGES: Partial<Record<FaultCode, string>> = {
  no_input: "input",
  no_output: "output",
  output_as_input: "output",
  bad_expression: "functions",
  bad_pattern: "match_recognize",
  unknown_function: "functions",
  unknown_module: "functions",
  unknown_export: "functions",
  bad_signature: "functions",
  bad_module: "functions",
  bad_window: "window",
  gaps_between_windows: "window_hopping",
  too_many_windows: "window_hopping",
  windows_not_aligned: "window",
  overlapping_ranks: "top_k",
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

/** Return the objects to change to fix an error, as far as known; the likeliest first. */
export function targetsOf(fault: Fault): readonly FixTarget[] {
  return "mend" in fault ? fault.mend : [];
}

/** Return the objects to change to fix any of the errors, each once. */
export function targetsOfAll(faults: readonly Fault[]): readonly FixTarget[] {
  return [...new Map(faults.flatMap(targetsOf).map((each) => [`${each.kind} ${each.id}`, each])).values()];
}

/** Return the message, with the character's position in the expression if its text is not shown. */
export function messageOf(fault: Fault & { at?: number | null; span?: unknown }): string {
  if (fault.at === null || fault.at === undefined || fault.span) return fault.message;
  return `${fault.message.replace(/\.$/, "")} (at character ${fault.at + 1}).`;
}

/** Errors first, then in the checker's order. */
export function inReadingOrder(faults: readonly Fault[]): Fault[] {
  return faults.toSorted((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
}

/** Return `2 errors, 1 warning`, or `no problems`. */
export function countWords(faults: readonly Fault[]): string {
  const errors = faults.filter((fault) => fault.severity === "error").length;
  const warnings = faults.length - errors;
  const parts = [errors > 0 ? counted(errors, "error") : "", warnings > 0 ? counted(warnings, "warning") : ""].filter(
    Boolean,
  );
  return parts.length > 0 ? parts.join(", ") : "no problems";
}
