import { Choices } from "../../components/actions/Choices";
import { counted } from "../../lib/numbers";
import type { HomeResponse, LabelCount } from "../../model/api";
import type { HomeFilters } from "./requests";

/** So many tags are buttons; the others are in a list. */
const BUTTONS = 3;
const ORDERS: readonly (readonly [HomeFilters["order"], string])[] = [
  ["worst", "Worst first"],
  ["name", "A to Z"],
];

interface FiltersProps {
  home: HomeResponse;
  filters: HomeFilters;
  onChange: (changed: Partial<HomeFilters>) => void;
}

interface LabelSelectProps {
  label: string;
  none: string;
  options: readonly LabelCount[];
  value: string;
  onChange: (value: string) => void;
}

function LabelSelect({ label, none, options, value, onChange }: LabelSelectProps) {
  if (options.length === 0 && value === "") return null;
  const known = options.some((option) => option.label === value);
  return (
    <select className="compact" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{none}</option>
      {known || value === "" ? null : <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.label} value={option.label}>
          {option.label} ({option.count})
        </option>
      ))}
    </select>
  );
}

/** Filters by name, tag and owner, and the order; all of them are in the address. */
export function Filters({ home, filters, onChange }: FiltersProps) {
  const first = home.tags.slice(0, BUTTONS);
  return (
    <search className="home-filters">
      <input
        id="home-filter"
        className="input"
        type="search"
        aria-label="Filter by name"
        placeholder="Filter by name ( / )"
        maxLength={63}
        value={filters.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <button type="button" className="chip" aria-pressed={filters.tag === ""} onClick={() => onChange({ tag: "" })}>
        All {home.total}
      </button>
      {first.map(({ label, count }) => (
        <button
          key={label}
          type="button"
          className="chip"
          aria-pressed={filters.tag === label}
          onClick={() => onChange({ tag: label })}
        >
          {label} {count}
        </button>
      ))}
      {home.tags.length > BUTTONS || (filters.tag !== "" && !first.some(({ label }) => label === filters.tag)) ? (
        <LabelSelect
          label="Tag"
          none="More tags"
          options={home.tags.slice(BUTTONS)}
          value={first.some(({ label }) => label === filters.tag) ? "" : filters.tag}
          onChange={(tag) => onChange({ tag })}
        />
      ) : null}
      <LabelSelect
        label="Owner"
        none="Owner: anyone"
        options={home.owners}
        value={filters.owner}
        onChange={(owner) => onChange({ owner })}
      />
      <span className="end">
        {home.listed === home.total ? null : (
          <span className="quiet small">{counted(home.listed, "query", "queries")} listed</span>
        )}
        <Choices label="Order" options={ORDERS} value={filters.order} onChange={(order) => onChange({ order })} />
      </span>
    </search>
  );
}
