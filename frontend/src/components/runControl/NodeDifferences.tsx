import { carryingWords, differenceWords, standingWords } from "../../messages/run/stateDifferences";
import type { NextStart } from "../../model/api";
import { Scroll } from "../page/Scroll";
import "./differences.css";

interface Props {
  next: Pick<NextStart, "nodes" | "options" | "not_carried">;
  /** True if the version runs next to the current run; then no state is carried over. */
  beside?: boolean;
}

/** The effect on each node's state when another version of the query takes over. */
export function NodeDifferences({ next, beside = false }: Props) {
  const { nodes } = next;
  if (nodes.length === 0) return null;
  return (
    <>
      <p>{carryingWords(next, beside)} Each node compared with the last run:</p>
      <Scroll label="Effect on the state of each node">
        <table className="differences">
          <thead>
            <tr>
              <th>Node</th>
              <th>Compared with the last run</th>
              <th>Effect</th>
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
