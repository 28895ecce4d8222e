import type { NextStart } from "../model/api";
import { carryingWords, differenceWords, standingWords } from "../model/stateDifferences";
import { Scroll } from "./Scroll";
import "./differences.css";

interface Props {
  next: Pick<NextStart, "nodes" | "options" | "not_carried">;
  /** The version reads beside the run, which never carries state over. */
  beside?: boolean;
}

/** What becomes of what each node holds, when another version of the query takes over. */
export function NodeDifferences({ next, beside = false }: Props) {
  const { nodes } = next;
  if (nodes.length === 0) return null;
  return (
    <>
      <p>{carryingWords(next, beside)} Node by node, beside the last run:</p>
      <Scroll label="What becomes of what each node holds">
        <table className="differences">
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
                <td>{standingWords(each)}</td>
                <td>{differenceWords(each)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
