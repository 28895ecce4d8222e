import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type RefObject, useEffect, useRef } from "react";
import { styleNonce } from "../../lib/browser/nonce";
import { changeBetween } from "../../model/graph/edit/merge";

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--reordered)" },
  { tag: [tags.lineComment, tags.blockComment], color: "var(--ink-2)" },
]);

const LOOKS = EditorView.theme({
  ".cm-gutters": { background: "var(--sunken)", color: "var(--ink-2)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-soft)",
  },
  ".cm-tooltip": { background: "var(--surface)", color: "var(--ink)", borderColor: "var(--line-strong)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent-soft)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--ink-2)", fontStyle: "normal" },
  ".cm-tooltip.cm-completionInfo": { padding: "6px 10px", maxWidth: "360px" },
});

/**
 * Text typed over a selection. Chrome would join the lines through HTML with style attributes, which the content
 * security policy refuses and the console reports.
 */
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    const typed = event.inputType === "insertText" && !event.isComposing && event.data !== null;
    if (!typed || state.readOnly || state.selection.main.empty) return false;
    view.dispatch(state.update(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true }));
    return true;
  },
});

interface CodeEditorProps {
  label: string;
  text: string;
  readOnly?: boolean;
  onChange: (text: string) => void;
  /** Called with the text and the caret's position whenever the caret moves. */
  onCaret?: (text: string, at: number) => void;
  /** The language, its linter and so on. Pass a constant: a new value creates a new editor without history. */
  extensions: Extension;
  /** A reference to the editor for code that controls it from outside. */
  view: RefObject<EditorView | null>;
  /** True if the editor handles undo; otherwise the owner of the text does. */
  ownUndo?: boolean;
  /** One expression in a form: no line numbers and no gutter. */
  small?: boolean;
}

const OWN_UNDO = [history(), keymap.of(historyKeymap)];
const GUTTERS = [lineNumbers(), lintGutter()];

/** Edit one text. Tab moves the focus on, as everywhere; a new `text` from outside replaces the document. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, text, readOnly = false, onChange, onCaret, extensions, view, ownUndo = true, small = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const tell = useRef(onChange);
  const tellCaret = useRef(onCaret);
  const first = useRef(text);
  useEffect(() => {
    tell.current = onChange;
    tellCaret.current = onCaret;
  });

  useEffect(() => {
    if (box.current === null) return undefined;
    const all = [
      extensions,
      small ? [] : GUTTERS,
      ownUndo ? OWN_UNDO : [],
      bracketMatching(),
      syntaxHighlighting(COLOURS),
      LOOKS,
      TYPED_OVER,
      EditorView.cspNonce.of(styleNonce()),
      EditorView.lineWrapping,
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      keymap.of(defaultKeymap),
      EditorView.updateListener.of((update) => {
        const { doc, selection } = update.state;
        if (update.docChanged) tell.current(doc.toString());
        if (update.selectionSet && update.view.hasFocus) tellCaret.current?.(doc.toString(), selection.main.head);
      }),
    ];
    const made = new EditorView({
      parent: box.current,
      state: EditorState.create({ doc: first.current, extensions: all }),
    });
    view.current = made;
    return () => {
      first.current = made.state.doc.toString();
      made.destroy();
    };
  }, [label, readOnly, extensions, view, ownUndo, small]);

  useEffect(() => {
    const shown = view.current?.state.doc.toString();
    if (shown === undefined || shown === text) return;
    const { from, to, put } = changeBetween(shown, text) ?? { from: 0, to: 0, put: "" };
    view.current?.dispatch({ changes: { from, to, insert: put } }); // only what differs, so that the cursor stays
  }, [text, view]);

  return <div className="editor" data-small={small} ref={box} />;
}
