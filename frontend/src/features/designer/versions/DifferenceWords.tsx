import type { DefinitionDifference } from "../../../model/api";

interface DifferenceWordsProps {
  differences: readonly DefinitionDifference[];
  /** What is said where there is none. */
  none: string;
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

/** What has changed, a line for each; the sign repeats what the words say. */
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
