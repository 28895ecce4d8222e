import { json, jsonParseLinter } from "@codemirror/lang-json";
import { linter } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { useRef } from "react";
import { CodeEditor } from "./CodeEditor";

const JSON_TEXT = [json(), linter(jsonParseLinter())];

interface JsonEditorProps {
  label: string;
  text: string;
  readOnly?: boolean;
  onChange: (text: string) => void;
  ownUndo?: boolean;
}

/** Edit JSON; syntax errors are marked. */
export function JsonEditor(props: JsonEditorProps) {
  const view = useRef<EditorView | null>(null);
  return <CodeEditor {...props} extensions={JSON_TEXT} view={view} />;
}
