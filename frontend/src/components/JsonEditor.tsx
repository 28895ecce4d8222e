import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { linter, lintGutter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--reordered)" },
]);

const LOOKS = EditorView.theme({
  ".cm-gutters": { background: "var(--sunken)", color: "var(--ink-2)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-soft)",
  },
  ".cm-tooltip": { background: "var(--surface)", color: "var(--ink)", borderColor: "var(--line-strong)" },
});

interface JsonEditorProps {
  label: string;
  text: string;
  readOnly?: boolean;
  onChange: (text: string) => void;
}

/** Edits JSON. Tab moves on, as everywhere; a new `text` from outside replaces the document. */
export function JsonEditor({ label, text, readOnly = false, onChange }: JsonEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const tell = useRef(onChange);
  const first = useRef(text);
  useEffect(() => {
    tell.current = onChange;
  });

  useEffect(() => {
    if (box.current === null) return undefined;
    const extensions = [
      lineNumbers(),
      history(),
      bracketMatching(),
      json(),
      linter(jsonParseLinter()),
      lintGutter(),
      syntaxHighlighting(COLOURS),
      LOOKS,
      EditorView.lineWrapping,
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) tell.current(update.state.doc.toString());
      }),
    ];
    const made = new EditorView({
      parent: box.current,
      state: EditorState.create({ doc: first.current, extensions }),
    });
    view.current = made;
    return () => {
      first.current = made.state.doc.toString();
      made.destroy();
    };
  }, [label, readOnly]);

  useEffect(() => {
    const shown = view.current?.state.doc.toString();
    if (shown === undefined || shown === text) return;
    view.current?.dispatch({ changes: { from: 0, to: shown.length, insert: text } });
  }, [text]);

  return <div className="editor" ref={box} />;
}
