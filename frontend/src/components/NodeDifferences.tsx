import type { NodeDifference } from "../model/api";
import { differenceWords, standingWords } from "../model/stateDifferences";
import { Scroll } from "./Scroll";

/** What becomes of what each node holds, when another version of the query takes over. */
export function NodeDifferences({ nodes }: { nodes: readonly NodeDifference[] }) {
  if (nodes.length === 0) return null;
  return (
    <>
      <p>
        No state is carried from one version to another: where rows are read again, what is open is made again from
        them. Node by node, beside the last run:
      </p>
      <Scroll label="What becomes of what each node holds">
        <table>
          <thead>
            <tr>
              <th>Node</th>
              <th>Beside the last run</th>
              <th>What that means</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((each) => (
              <tr key={`${each.node} ${each.standing}`}>
                <th scope="row">
                  {each.node} <span className="quiet">{each.kind}</span>
                </th>
                <td className="nowrap">{standingWords(each)}</td>
                <td>{differenceWords(each)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
