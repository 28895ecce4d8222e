/** The input of one field of a node, by its role in the generated table of forms. */

import { lazy, Suspense } from "react";
import { Waiting } from "../../../components/Notices";
import type { Fault, GraphNode } from "../../../model/api";
import { type NodeField as Described, type KindForm, WINDOW_FORMS } from "../../../model/graphEdit/forms";
import { choiceWords, fieldHelp, fieldTitle } from "../../../model/graphEdit/formWords";
import { NOTHING, type WindowKind, windowOf } from "../../../model/graphEdit/kinds";
import { ChoiceField, DurationField, FieldsChoice, NumberField, TypedField } from "./fields";
import { Aggregates, Columns } from "./rows";

const Expression = lazy(async () => ({ default: (await import("./ExpressionField")).ExpressionField }));

/** What the inputs of one node are told. */
export interface FormScope {
  node: GraphNode;
  readOnly: boolean;
  /** The fields that come in, with their types. */
  incoming: Readonly<Record<string, string>>;
  /** Those that both sides have. */
  shared: readonly string[];
  streams: readonly string[];
  /** The nodes that this one could read. */
  readable: readonly string[];
  faults: readonly Fault[];
}

export interface NodeFieldProps {
  scope: FormScope;
  field: Described;
  /** The path of the field inside the node, as faults name it. */
  path: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** What is wrong with the field of that path, in one sentence with its remedy. */
export function wrongAt({ faults }: FormScope, path: string): string | undefined {
  const found = faults.find((fault) => fault.field === path);
  return found === undefined ? undefined : `${found.message} ${found.remedy}`;
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Groups as JSON: the one field for which there are no better words. */
function GroupsField({ value, onChange, ...said }: { value: unknown; onChange: (value: unknown) => void } & Common) {
  const commit = (typed: string) => {
    if (typed.trim() === "") {
      onChange(null);
      return null;
    }
    try {
      const read: unknown = JSON.parse(typed);
      if (!Array.isArray(read) || read.some((each) => typeof each !== "object" || each === null)) {
        return 'Write a list of groups, such as [{"plate": "A"}].';
      }
      onChange(read);
      return null;
    } catch {
      return 'This is not JSON. Write for example [{"plate": "A"}].';
    }
  };
  return <TypedField {...said} value={value === null ? "" : JSON.stringify(value)} commit={commit} />;
}

interface Common {
  label: string;
  help?: string | undefined;
  wrong?: string | undefined;
  readOnly: boolean;
}

function WindowField({ scope, path, value, onChange }: NodeFieldProps) {
  const window = value as Record<string, unknown>;
  const kind = String(window.kind) as WindowKind;
  const options = Object.keys(WINDOW_FORMS).map((each) => [each, choiceWords(each)] as const);
  const fields = (WINDOW_FORMS[kind] as KindForm | undefined)?.fields ?? [];
  return (
    <fieldset className="stack group">
      <legend>Window</legend>
      <ChoiceField
        label="Kind of window"
        readOnly={scope.readOnly}
        wrong={wrongAt(scope, path)}
        value={kind}
        options={options}
        onChange={(next) => onChange(windowOf(next as WindowKind, window))}
      />
      {fields.map((field) => (
        <NodeField
          key={`${kind} ${field.name}`}
          scope={scope}
          field={field}
          path={`${path}.${field.name}`}
          value={window[field.name] ?? null}
          onChange={(next) => onChange({ ...window, [field.name]: next })}
        />
      ))}
    </fieldset>
  );
}

type Draw = (props: NodeFieldProps, common: Common) => React.ReactNode;

function reads(value: unknown): readonly (readonly [string, string])[] {
  return value === NOTHING ? [[NOTHING, "not connected"]] : [];
}

function typedText({ value, onChange }: NodeFieldProps, common: Common) {
  const commit = (typed: string) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(typed)) return "A letter or _, then up to 62 letters, digits or _.";
    onChange(typed);
    return null;
  };
  return <TypedField {...common} value={String(value ?? "")} commit={commit} />;
}

/** By role. `nodes` stand with the ports, which can be added and taken away. */
const DRAWN: Record<Described["role"], Draw> = {
  stream: ({ scope, value, onChange }, common) => (
    <ChoiceField
      {...common}
      value={String(value)}
      options={scope.streams.map((name) => [name, name] as const)}
      onChange={onChange}
    />
  ),
  node: ({ scope, value, onChange }, common) => (
    <ChoiceField
      {...common}
      value={String(value)}
      options={[...reads(value), ...scope.readable.map((name) => [name, name] as const)]}
      onChange={onChange}
    />
  ),
  nodes: ({ scope, value, onChange }, common) => {
    const read = texts(value);
    const more = scope.readable.filter((name) => !read.includes(name));
    return (
      <fieldset className="stack group">
        <legend>{common.label}</legend>
        {[...read, NOTHING].map((each, index) => (
          <ChoiceField
            // biome-ignore lint/suspicious/noArrayIndexKey: ports go by number
            key={index}
            label={index < read.length ? `Input ${index + 1}` : "One more"}
            readOnly={common.readOnly}
            value={each}
            options={[[NOTHING, "not connected"], ...more.map((name) => [name, name] as const)]}
            onChange={(next) => onChange([...read.slice(0, index), next, ...read.slice(index + 1)])}
          />
        ))}
      </fieldset>
    );
  },
  name: typedText,
  function: typedText,
  fields: ({ scope, field, value, onChange }, common) => (
    <FieldsChoice
      {...common}
      value={texts(value)}
      known={field.name === "keys" ? scope.shared : Object.keys(scope.incoming)}
      onChange={onChange}
    />
  ),
  expression: ({ scope, field, path, value, onChange }, common) => (
    <Suspense fallback={<Waiting>Loading…</Waiting>}>
      <Expression
        {...common}
        scope={scope}
        path={path}
        nullable={field.nullable}
        value={String(value ?? "")}
        onChange={onChange}
      />
    </Suspense>
  ),
  duration: ({ field, value, onChange }, common) => (
    <DurationField {...common} value={value as string | number | null} nullable={field.nullable} onChange={onChange} />
  ),
  number: ({ field, value, onChange }, common) => (
    <NumberField {...common} value={value as number | null} nullable={field.nullable} whole onChange={onChange} />
  ),
  fraction: ({ field, value, onChange }, common) => (
    <NumberField
      {...common}
      value={value as number | null}
      nullable={field.nullable}
      whole={false}
      onChange={onChange}
    />
  ),
  flag: ({ value, onChange }, common) => (
    <ChoiceField
      {...common}
      value={value === true ? "yes" : "no"}
      options={[
        ["no", "no"],
        ["yes", "yes"],
      ]}
      onChange={(next) => onChange(next === "yes")}
    />
  ),
  choice: ({ field, value, onChange }, common) => (
    <ChoiceField
      {...common}
      value={String(value ?? field.initial)}
      options={field.choices.map((each) => [each, choiceWords(each)] as const)}
      onChange={onChange}
    />
  ),
  window: (props) => <WindowField {...props} />,
  columns: (props) => <Columns {...props} />,
  aggregates: (props) => <Aggregates {...props} />,
  groups: ({ value, onChange }, common) => <GroupsField {...common} value={value} onChange={onChange} />,
};

export function NodeField(props: NodeFieldProps) {
  const { scope, field, path } = props;
  const common: Common = {
    label: fieldTitle(scope.node.kind, field.name),
    help: fieldHelp(field.name),
    wrong: wrongAt(scope, path),
    readOnly: scope.readOnly,
  };
  return DRAWN[field.role](props, common);
}
