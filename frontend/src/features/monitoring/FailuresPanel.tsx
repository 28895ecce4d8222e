import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { formatCount } from "../../lib/numbers";
import type { ExpressionFailed, ProgressReport } from "../../model/api";
import { exampleWords, expressionWords, FAILURE_WORDS, unlisted } from "../../model/failures";

function Row({ failure }: { failure: ExpressionFailed }) {
  return (
    <tr>
      <th scope="row">{failure.node}</th>
      <td>
        <code>{expressionWords(failure)}</code>
      </td>
      <td>{FAILURE_WORDS[failure.kind]}</td>
      <td className="num">{formatCount(failure.count)}</td>
      <td>
        <bdi>{exampleWords(failure.example)}</bdi>
      </td>
    </tr>
  );
}

/** Expressions that failed on rows, so that they are null there. Nothing where none has. */
export function FailuresPanel({ report }: { report: ProgressReport }) {
  const failures = report.failures ?? [];
  if (failures.length === 0) return null;
  const others = unlisted(failures, report.failed ?? 0);
  return (
    <Panel
      title="Null because an expression failed"
      note={
        "The value is null on these rows, also where coalesce() puts something else there; a filter lets no null through." +
        (others > 0 ? ` ${formatCount(others)} more in expressions that are not listed.` : "")
      }
      flush
    >
      <Scroll label="Table of expressions that failed">
        <table>
          <thead>
            <tr>
              <th>Node</th>
              <th>Expression</th>
              <th>Null because of</th>
              <th className="num">Rows</th>
              <th>First example</th>
            </tr>
          </thead>
          <tbody>
            {failures.map((failure) => (
              <Row key={`${failure.node} ${failure.field} ${failure.kind}`} failure={failure} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}
