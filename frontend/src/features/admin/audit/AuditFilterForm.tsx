import { useEffect, useId, useState } from "react";
import { ACTIONS, type AuditFilters, actionWords, areaWords } from "../../../messages/organisation/audit";
import { useMembers } from "../requests";

const KINDS = [...Object.keys(ACTIONS), "quota"].filter(
  (kind) => !["run", "results", "quarantine", "audit", "limit", "impersonation", "definitions"].includes(kind),
);

function ActionField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Action</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">All actions</option>
        {Object.entries(ACTIONS).map(([area, actions]) => (
          <optgroup key={area} label={areaWords(area)}>
            <option value={`${area}.`}>all: {areaWords(area)}</option>
            {Object.keys(actions).map((name) => (
              <option key={name} value={`${area}.${name}`}>
                {actionWords(`${area}.${name}`)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}

const SETTLED_MS = 400;

/** A text field that applies its value once typing has paused. */
function PersonField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  const members = useMembers().data ?? [];
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => onChange(typed.trim()), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <div className="field">
      <label htmlFor={id}>Person</label>
      <input
        id={id}
        list={`${id}-people`}
        value={typed}
        placeholder="Anyone"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <datalist id={`${id}-people`}>
        {members.map(({ email }) => (
          <option key={email} value={email} />
        ))}
      </datalist>
    </div>
  );
}

function TargetField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  const one = value.includes(":");
  return (
    <div className="field">
      <label htmlFor={id}>Target</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">All targets</option>
        {one ? <option value={value}>only this {value.split(":")[0]?.replaceAll("_", " ")}</option> : null}
        {KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {areaWords(kind)}
          </option>
        ))}
      </select>
    </div>
  );
}

interface TimeFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function TimeField({ label, value, onChange }: TimeFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label} (UTC)</label>
      <input id={id} type="datetime-local" value={value} onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}

interface AuditFilterFormProps {
  filters: AuditFilters;
  onChange: (change: Partial<AuditFilters>) => void;
  /** Null while no filter is active. */
  onClear: (() => void) | null;
}

/** The event filters; a change applies at once. */
export function AuditFilterForm({ filters, onChange, onClear }: AuditFilterFormProps) {
  return (
    <search className="filters" aria-label="Filters">
      <ActionField value={filters.action} onChange={(action) => onChange({ action })} />
      <PersonField value={filters.actor} onChange={(actor) => onChange({ actor })} />
      <TargetField value={filters.target} onChange={(target) => onChange({ target })} />
      <TimeField label="Since" value={filters.since} onChange={(since) => onChange({ since })} />
      <TimeField label="Before" value={filters.until} onChange={(until) => onChange({ until })} />
      {onClear === null ? null : (
        <button type="button" className="link" onClick={onClear}>
          Clear filters
        </button>
      )}
    </search>
  );
}
