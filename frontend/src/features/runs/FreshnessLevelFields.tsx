import { SelectField } from "../../components/forms/Field";
import type { FreshnessLevel } from "../../model/api";
import { formatSpan } from "../../model/time/ticks";

const NONE = "";
const LIMITS: readonly number[] = [10, 30, 60, 300, 900, 3_600];
const SHARES: readonly number[] = [95, 99, 99.5, 99.9, 99.99];

interface Props {
  /** Undefined in an old draft. */
  value: FreshnessLevel | null | undefined;
  onChange: (value: FreshnessLevel | null) => void;
}

/** The lag from which results are late, and the share of minutes without; they decide how many minutes may be late. */
export function FreshnessLevelFields({ value = null, onChange }: Props) {
  const { within_s: within, share = 99 } = value ?? { within_s: null };
  return (
    <>
      <SelectField
        label="Results are late after"
        path="freshness_level.within_s"
        value={within === null ? NONE : String(within)}
        onChange={(limit) => onChange(limit === NONE ? null : { within_s: Number(limit), share })}
        options={[[NONE, "no limit"], ...options(LIMITS, within, (limit) => formatSpan(limit * 1_000_000))]}
        help="The time from the CTI to the report of a batch, without the delay of the input. A limit gives the query a freshness budget."
      />
      {within === null ? null : (
        <SelectField
          label="Minutes on time"
          path="freshness_level.share"
          value={String(share)}
          onChange={(chosen) => onChange({ within_s: within, share: Number(chosen) })}
          options={options(SHARES, share, (each) => `${each} %`)}
          help="The share of minutes of 30 days in which results are within the limit. The rest is the freshness budget."
        />
      )}
    </>
  );
}

function options(usual: readonly number[], stored: number | null, words: (value: number) => string) {
  const every = stored === null || usual.includes(stored) ? usual : [...usual, stored].toSorted((a, b) => a - b);
  return every.map((value) => [String(value), words(value)] as const);
}
