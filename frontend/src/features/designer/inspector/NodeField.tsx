/** The input of one field of a node, by its role in the generated table of forms. */

import { lazy, Suspense } from "react";
import { Waiting } from "../../../components/notices/Notices";
import { choiceWords, fieldHelp, fieldTitle } from "../../../messages/definition/fieldLabels";
import { type NodeField as Described, type KindForm, WINDOW_FORMS } from "../../../model/graph/edit/forms";
import { NOTHING, type WindowKind, windowOf } from "../../../model/graph/edit/kinds";
import { ChoiceField, DurationField, FieldsChoice, NumberField, TypedField } from "./fields";
import { type NodeFieldProps, wrongAt } from "./formScope";
import { Aggregates, Columns } from "./rows";
import { AfterMatchField, ListField, PatternField } from "./sequenceFields";

const Expression = lazy(async () => ({ default: (await import("./ExpressionField")).ExpressionField }));

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Groups as JSON, since no better input exists. */
function GroupsField({ value, onChange, ...common }: { value: unknown; onChange: (value: unknown) => void } & Common) {
  const commit = (typed: string) => {
    if (typed.trim() === "") {
      onChange(null);
      return null;
    }
    try {
      const read: unknown = JSON.parse(typed);
      if (!Array.isArray(read) || read.some((each) => typeof each !== "object" || each === null)) {
        return 'Enter a list of groups, for example [{"plate": "A"}].';
      }
      onChange(read);
      return null;
    } catch {
      return 'Invalid JSON. Enter for example [{"plate": "A"}].';
    }
  };
  return <TypedField {...common} value={value === null ? "" : JSON.stringify(value)} commit={commit} />;
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
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(typed))
      return "Start with a letter or _, then use up to 62 letters, digits or _.";
    onChange(typed);
    return null;
  };
  return <TypedField {...common} value={String(value ?? "")} commit={commit} />;
}

function freeText({ value, onChange }: NodeFieldProps, common: Common) {
  const commit = (typed: string) => {
    onChange(typed.trim());
    return null;
  };
  return <TypedField {...common} value={String(value ?? "")} commit={commit} />;
}

/** Inputs by role. `nodes` belongs to the ports, which can be added and removed. */
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
            // biome-ignore lint/suspicious/noArrayIndexKey: ports are numbered
            key={index}
            label={index < read.length ? `Input ${index + 1}` : "Add input"}
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
  text: freeText,
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
  columns: (props) => <Columns {...props} Field={NodeField} />,
  aggregates: (props) => <Aggregates {...props} Field={NodeField} />,
  pattern: ({ value, onChange }, common) => <PatternField {...common} value={value} onChange={onChange} />,
  after_match: ({ value, onChange }, common) => <AfterMatchField {...common} value={value} onChange={onChange} />,
  lists: ({ value, onChange }, common) => (
    <ListField
      {...common}
      value={value}
      onChange={onChange}
      example='[{"name": "before", "function": "lag", "of": "v"}]'
    />
  ),
  orders: ({ value, onChange }, common) => (
    <ListField {...common} value={value} onChange={onChange} example='[{"of": "line", "descending": true}]' />
  ),
  subsets: ({ value, onChange }, common) => (
    <ListField {...common} value={value} onChange={onChange} example='[{"name": "U", "of": ["A", "B"]}]' />
  ),
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
