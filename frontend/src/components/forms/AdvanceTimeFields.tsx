/** The time settings of an input as a form; each change that parses is applied at once. */

import { useId, useState } from "react";
import type { AdvanceTimeSettings } from "../../model/api";
import {
  generateOf,
  type Late,
  lateOf,
  PRESETS,
  readPreset,
  withGenerate,
  withImport,
  withLate,
  withoutGenerate,
  withPreset,
} from "../../model/simulation/advanceEdits";
import { parseDuration } from "../../model/time/ticks";
import "./advanceTime.css";

interface SelectProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

function Select<T extends string>({ label, value, options, onChange }: SelectProps<T>) {
  return (
    <label className="time-setting">
      <span>{label}</span>
      <select
        className="compact"
        value={value}
        onChange={(event) => {
          const option = options.find(([each]) => each === event.target.value);
          if (option !== undefined) onChange(option[0]);
        }}
      >
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextProps {
  label: string;
  value: string;
  placeholder?: string;
  /** Return why the text is invalid; null if it is valid. */
  wrong: (text: string) => string | null;
  onChange: (text: string) => void;
}

/** A text field that applies its value as soon as the text parses. */
function Text({ label, value, wrong, onChange, placeholder }: TextProps) {
  const id = useId();
  const [typed, setTyped] = useState<{ text: string; of: string } | null>(null);
  const text = typed !== null && typed.of === value ? typed.text : value;
  const reason = wrong(text);
  return (
    <div className="time-setting">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={(input) => input?.setCustomValidity(reason ?? "")}
        className="input"
        size={7}
        value={text}
        placeholder={placeholder}
        aria-invalid={reason !== null}
        aria-describedby={reason === null ? undefined : `${id}-wrong`}
        onChange={(event) => {
          const next = event.target.value;
          const read = wrong(next) === null;
          setTyped({ text: next, of: read ? next : value });
          if (read) onChange(next);
        }}
      />
      {reason === null ? null : (
        <span id={`${id}-wrong`} className="wrong small">
          {reason}
        </span>
      )}
    </div>
  );
}

const OWN = "own";
const SENT = "sent";
const PRESET_OPTIONS = [
  [OWN, "own settings"],
  [SENT, "CTIs sent or copied"],
  ...PRESETS.map(([name]) => [name, name] as const),
] as const;
const LATE_OPTIONS = [
  ["drop", "drop"],
  ["adjust", "adjust"],
  ["shift", "shift"],
  ["keep", "keep"],
] as const satisfies readonly (readonly [Late, string])[];
const BASIS_OPTIONS = [
  ["last", "last start"],
  ["max", "largest start"],
] as const;

function durationWrong(text: string): string | null {
  return parseDuration(text) === null ? "Enter a duration, for example 5s, 500ms or -1tick." : null;
}

function everyWrong(text: string): string | null {
  if (/^\d+$/.test(text)) return Number(text) > 0 ? null : "Enter a number above zero.";
  return (parseDuration(text) ?? 0) > 0
    ? null
    : "Enter a number of events, for example 1, or a duration, for example 10s.";
}

function durationResponse(value: number | string | null | undefined): string {
  if (value === null || value === undefined) return "";
  return typeof value === "number" ? (value === 0 ? "0s" : `${value}us`) : value;
}

export interface AdvanceTimeProps {
  settings: AdvanceTimeSettings | undefined;
  /** The other inputs, from which it may copy CTIs. */
  others: readonly string[];
  onChange: (settings: AdvanceTimeSettings) => void;
}

type FieldsProps = Omit<AdvanceTimeProps, "others">;

function GenerateFields({ settings, onChange }: FieldsProps) {
  const generate = generateOf(settings);
  const late = (
    <Select
      label="late rows"
      value={lateOf(settings)}
      options={LATE_OPTIONS}
      onChange={(chosen) => onChange(withLate(settings, chosen))}
    />
  );
  if (generate === null) return late;
  return (
    <>
      <Text
        label="a CTI every"
        value={typeof generate.every === "number" ? String(generate.every) : generate.every}
        wrong={everyWrong}
        onChange={(text) => onChange(withGenerate(settings, { every: /^\d+$/.test(text) ? Number(text) : text }))}
      />
      <Text
        label="delay"
        value={durationResponse(generate.delay ?? 0)}
        wrong={durationWrong}
        onChange={(delay) => onChange(withGenerate(settings, { delay }))}
      />
      <Select
        label="counted from"
        value={generate.basis ?? "last"}
        options={BASIS_OPTIONS}
        onChange={(basis) => onChange(withGenerate(settings, { basis }))}
      />
      {late}
    </>
  );
}

const IDLE_OPTIONS = [
  ["leave_out", "leave out"],
  ["advance", "advance"],
] as const;

function IdleFields({ settings, onChange }: FieldsProps) {
  const after = settings?.idle_after ?? null;
  return (
    <>
      <Text
        label="idle after"
        value={durationResponse(after)}
        placeholder="never"
        wrong={(text) => (text === "" ? null : durationWrong(text))}
        onChange={(text) =>
          onChange({ ...settings, idle_after: text === "" ? null : text, ...(text === "" ? { idle: null } : {}) })
        }
      />
      {after === null ? null : (
        <Select
          label="a silent lane"
          value={settings?.idle ?? "leave_out"}
          options={IDLE_OPTIONS}
          onChange={(idle) => onChange({ ...settings, idle })}
        />
      )}
    </>
  );
}

function presetWrong(text: string): string | null {
  return text.trim() === "" ? "Enter a preset, for example watermark(5s)." : null;
}

/** Return the source of time: a preset, custom settings, or CTIs that are sent or copied. */
function nameOf(settings: FieldsProps["settings"]): string {
  if (settings?.preset != null) return readPreset(settings.preset).name;
  return generateOf(settings) === null ? SENT : OWN;
}

/** Time settings of one input: a preset, custom settings, or sent or copied CTIs; late rows; silent lanes. */
export function AdvanceTimeFields({ others, settings, onChange }: AdvanceTimeProps) {
  const preset = settings?.preset ?? null;
  const name = nameOf(settings);
  const source = settings?.import_from ?? "";
  const sources = [...new Set([...others, ...(source === "" ? [] : [source])])];
  return (
    <>
      <Select
        label="time moves by"
        value={name}
        options={
          PRESET_OPTIONS.some(([each]) => each === name) ? PRESET_OPTIONS : [...PRESET_OPTIONS, [name, name] as const]
        }
        onChange={(chosen) =>
          onChange(chosen === SENT ? withoutGenerate(settings) : withPreset(settings, chosen === OWN ? null : chosen))
        }
      />
      {sources.length === 0 ? null : (
        <Select
          label="copies the CTIs of"
          value={source}
          options={[["", "no other input"] as const, ...sources.map((each) => [each, each] as const)]}
          onChange={(chosen) => onChange(withImport(settings, chosen === "" ? null : chosen))}
        />
      )}
      {preset === null ? (
        <GenerateFields settings={settings} onChange={onChange} />
      ) : readPreset(preset).given.length === 0 ? null : (
        <Text
          label="with"
          value={preset}
          wrong={presetWrong}
          onChange={(text) => onChange({ ...settings, preset: text })}
        />
      )}
      <IdleFields settings={settings} onChange={onChange} />
    </>
  );
}
