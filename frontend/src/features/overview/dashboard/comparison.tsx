import type { DashboardResponse, DetailsResponse } from "../../../model/api";
import { type ComparisonChoice, comparisonChoices } from "../../../model/live/comparison";
import type { Ticks } from "../../../model/time/ticks";
import { useDetails, useOtherFigures } from "./requests";

/** The figures of another range, which are drawn under those of the page, moved by `offset`. */
export interface Compared {
  offset: Ticks;
  words: string;
  shown: DashboardResponse;
  details: DetailsResponse;
}

interface Comparison {
  choices: readonly ComparisonChoice[];
  chosen: ComparisonChoice | null;
  /** Null until both answers are here. */
  compared: Compared | null;
}

/** The range to compare with, by its name in the address; `around` has the runs of the time around the range. */
export function useComparison(
  shown: DashboardResponse,
  around: DashboardResponse | undefined,
  id: string | null,
): Comparison {
  const choices = comparisonChoices(shown, around?.runs ?? []);
  const chosen = choices.find((choice) => choice.id === id) ?? null;
  const range = chosen?.range ?? null;
  const other = useOtherFigures(shown.binding, range).data;
  const details = useDetails(shown.binding, range).data;
  if (chosen === null || other === undefined || details === undefined) return { choices, chosen, compared: null };
  const offset = shown.begin - chosen.range.begin;
  return { choices, chosen, compared: { offset, words: chosen.words, shown: other, details } };
}

interface CompareChoiceProps {
  choices: readonly ComparisonChoice[];
  chosen: ComparisonChoice | null;
  onChange: (id: string) => void;
}

export function CompareChoice({ choices, chosen, onChange }: CompareChoiceProps) {
  return (
    <label className="compare-choice">
      Compare with
      <select value={chosen?.id ?? ""} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">nothing</option>
        {choices.map(({ id, words }) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </select>
      {chosen === null ? null : <span className="compared-key">dashed</span>}
    </label>
  );
}
