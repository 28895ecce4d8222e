import type { DefinitionDifference } from "../../../model/api";

interface DifferenceWordsProps {
  differences: readonly DefinitionDifference[];
  /** The text without differences. */
  none: string;
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

/** Differences, one per line; the sign repeats the words. */
export function DifferenceWords({ differences, none }: DifferenceWordsProps) {
  if (differences.length === 0) return <p className="quiet">{none}</p>;
  return (
    <ul className="changes">
      {differences.map(({ change, words }) => (
        <li key={words} data-change={change}>
          <span aria-hidden="true">{SIGNS[change]}</span> {words}
        </li>
      ))}
    </ul>
  );
}
