import { diffLines } from "diff";
import { useMemo } from "react";
import { Scroll } from "../page/Scroll";

const MARKS = { added: "+ ", removed: "− ", same: "  " } as const;

interface Line {
  key: string;
  kind: keyof typeof MARKS;
  text: string;
}

function linesOf(before: string, after: string): Line[] {
  return diffLines(before, after).flatMap((part, place) => {
    const kind = part.added ? "added" : part.removed ? "removed" : "same";
    const texts = part.value.replace(/\n$/, "").split("\n");
    return texts.map((text, index) => ({ key: `${place} ${index}`, kind, text }) as const);
  });
}

const KINDS: Record<string, Line["kind"]> = { "+": "added", "-": "removed" };

/** The lines of a unified diff, without its head; a mark separates its parts. */
function linesOfUnified(diff: string): Line[] {
  const texts = diff.replace(/\n$/, "").split("\n");
  const [from = "", to = ""] = texts;
  const body = from.startsWith("--- ") && to.startsWith("+++ ") ? texts.slice(3) : texts;
  return body.map((text, place) => {
    if (text.startsWith("@@ ")) return { key: `${place}`, kind: "same", text: "⋯" };
    const kind = KINDS[text.charAt(0)] ?? "same";
    return { key: `${place}`, kind, text: /^[+\- ]/.test(text) ? text.slice(1) : text };
  });
}

/** The line-by-line difference between two texts, marked by sign, word and colour. */
export function Difference({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => linesOf(before, after), [before, after]);
  if (lines.every((line) => line.kind === "same")) return <p className="quiet">No differences.</p>;
  return <Lines lines={lines} label={label} />;
}

/** A unified diff, likewise. */
export function UnifiedDifference({ diff, label }: { diff: string; label: string }) {
  return <Lines lines={useMemo(() => linesOfUnified(diff), [diff])} label={label} />;
}

function Lines({ lines, label }: { lines: readonly Line[]; label: string }) {
  return (
    <Scroll label={label} tall>
      <pre className="difference">
        {lines.map(({ key, kind, text }) => (
          <span key={key} data-kind={kind}>
            {kind === "same" ? null : <span className="visually-hidden">{kind}: </span>}
            <span aria-hidden="true">{MARKS[kind]}</span>
            {text}
            {"\n"}
          </span>
        ))}
      </pre>
    </Scroll>
  );
}
