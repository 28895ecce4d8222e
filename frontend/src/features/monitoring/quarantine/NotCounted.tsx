import { Scroll } from "../../../components/page/Scroll";
import { Instant } from "../../../components/values/Instant";
import type { RowNotCounted } from "../../../model/api";

/** Selected rows of a quarantine that don't count, and why. */
export function NotCounted({ rows, title }: { rows: readonly RowNotCounted[]; title: string }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Scroll label={title} tall>
        <table>
          <thead>
            <tr>
              <th>Input, lane · position</th>
              <th>Start (UTC)</th>
              <th>Reason</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row">
                  {row.input}, {row.lane} · {row.position}
                </th>
                <td>{row.start === null ? "" : <Instant ticks={row.start} />}</td>
                <td className="message">{row.why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
