import type { PageKey } from "../../lib/browser/pageKeys";
import "./keyList.css";

/** The keys of a page, with their effects. */
export function KeyList({ keys }: { keys: readonly Pick<PageKey, "key" | "words">[] }) {
  return (
    <details className="key-list small">
      <summary>Keys</summary>
      <ul>
        {keys.map(({ key, words }) => (
          <li key={key}>
            <kbd>{key}</kbd> {words}
          </li>
        ))}
      </ul>
    </details>
  );
}
