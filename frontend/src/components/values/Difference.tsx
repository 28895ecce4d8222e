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

/** The line-by-line difference between two texts, marked by sign, word and colour. */
export function Difference({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => linesOf(before, after), [before, after]);
  if (lines.every((line) => line.kind === "same")) return <p className="quiet">No differences.</p>;
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
