import { Scroll } from "../../../components/page/Scroll";
import type { StreamProposal } from "../../../model/api";

/** The first records of an input in their original form; the columns with times are marked. */
export function Records({ proposal, times }: { proposal: StreamProposal; times: readonly string[] }) {
  if (proposal.rows.length === 0) return null;
  const taken = (column: string) => times.some((time) => time === column || time.startsWith(`${column}.`));
  return (
    <Scroll label="Table of the first records" tall>
      <table className="records">
        <thead>
          <tr>
            {proposal.columns.map((column) => (
              <th key={column} data-taken={taken(column)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {proposal.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a sample never move
            <tr key={at}>
              {row.map((value, column) => (
                <td key={proposal.columns[column]} data-taken={taken(proposal.columns[column] ?? "")}>
                  {value ?? <span className="quiet">empty</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
