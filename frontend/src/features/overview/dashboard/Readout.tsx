import { formatRate, formatShare } from "../../../lib/numbers";
import type { DashboardResponse, DetailsResponse } from "../../../model/api";
import { lostOf, receivedIn, wholeOf } from "../../../model/live/dashboard";
import { stepAt } from "../../../model/live/details";
import type { Span } from "../../../model/live/ranges";
import { formatInstant, formatSpan, type Ticks } from "../../../model/time/ticks";
import { useCrosshair } from "./crosshair";
import { useCrosshairKeys } from "./rangeKeys";

const SECOND: Ticks = 1_000_000;

/** `2026-11-26 12:32 to 14:32 UTC`; the date of the end only if it differs. */
export function spanWords({ begin, end }: Span): string {
  const from = formatInstant(begin).slice(0, 16);
  const to = formatInstant(end).slice(0, 16);
  return `${from} to ${to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to} UTC`;
}

function lagWords({ lags }: DetailsResponse, index: number): string[] {
  const lag = lags.largest[index] ?? null;
  const lane = lags.lane[index] ?? 0;
  if (lag === null) return [];
  return [`lag ${formatSpan(lag)}${lane > 0 ? `, ${formatSpan(lane)} for a lane` : ""}`];
}

function behindWords({ inputs }: DetailsResponse, index: number): string[] {
  return inputs.flatMap(({ name, most }) => {
    const value = most[index] ?? null;
    const of = inputs.length > 1 ? ` of ${name}` : "";
    return value === null ? [] : [`99 %${of} at most ${formatSpan(value)} behind`];
  });
}

/** Return the values of all charts at a time. */
export function valuesAt(shown: DashboardResponse, details: DetailsResponse | undefined, at: Ticks): string[] {
  const index = stepAt(shown, shown.steps.length, at);
  const step = index === null ? undefined : shown.steps[index];
  if (step === undefined) return [];
  if (step.knowledge !== "known") return [step.knowledge === "none" ? "no run" : "no data: reports may be missing"];
  const received = receivedIn(step);
  const lost = lostOf(wholeOf([step]));
  const detail = details === undefined ? null : stepAt(details, details.lags.largest.length, at);
  return [
    `${formatRate((received * SECOND) / shown.step)} rows/s`,
    `${lost} dropped or malformed (${formatShare(lost, received)})`,
    ...(details === undefined || detail === null
      ? []
      : [...lagWords(details, detail), ...behindWords(details, detail)]),
  ];
}

interface ReadoutProps {
  shown: DashboardResponse;
  details: DetailsResponse | undefined;
}

/** The values of all charts at the crosshair, which arrow keys move. */
export function Readout({ shown, details }: ReadoutProps) {
  const at = useCrosshair();
  useCrosshairKeys(shown);
  return (
    <output className="readout figures" aria-label="Values at the crosshair">
      {at === null ? (
        <span className="quiet">Point at a chart, or press an arrow key, to read its values</span>
      ) : (
        [`${formatInstant(at).slice(11, 19)} UTC`, ...valuesAt(shown, details, at)].join(" · ")
      )}
    </output>
  );
}
