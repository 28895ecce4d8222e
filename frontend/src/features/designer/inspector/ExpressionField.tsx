import { useEffect, useState } from "react";
import { ExpressionEditor } from "../../../components/editors/ExpressionEditor";
import { useDesigner } from "../page/designer";
import { useExpressionCompletion } from "../requests";
import type { FieldTexts } from "./fields";
import type { FormScope } from "./formScope";

interface ExpressionFieldProps extends FieldTexts {
  scope: FormScope;
  path: string;
  nullable: boolean;
  value: string;
  onChange: (value: string | null) => void;
}

/** An expression of a node, with completion of incoming fields and errors in place. */
export function ExpressionField(props: ExpressionFieldProps) {
  const { label, help, wrong, readOnly, scope, path, nullable, value, onChange } = props;
  const { graph } = useDesigner();
  const complete = useExpressionCompletion();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped((before) => (before.trim() === "" && value === "" ? before : value)), [value]);
  const type = (next: string) => {
    setTyped(next);
    if (next.trim() !== "") onChange(next);
    else if (nullable) onChange(null);
  };
  const missing = typed.trim() === "" && !nullable;
  const faults = typed === value ? scope.faults.filter((fault) => fault.field === path) : [];
  const message = missing ? "This field is required." : wrong;
  return (
    <div className="field">
      <span className="label">{label}</span>
      <ExpressionEditor
        label={`${label} of ${scope.node.id}`}
        text={typed}
        readOnly={readOnly}
        faults={faults}
        onChange={type}
        complete={(text, at) =>
          graph === null ? Promise.resolve({ start: at, end: at, items: [] }) : complete(graph, scope.node.id, text, at)
        }
      />
      {message === undefined ? null : <span className="wrong">{message}</span>}
      {help === undefined ? null : <span className="help">{help}</span>}
    </div>
  );
}
