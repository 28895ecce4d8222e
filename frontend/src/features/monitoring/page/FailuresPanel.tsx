import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { formatCount } from "../../../lib/numbers";
import { exampleWords, expressionWords, FAILURE_WORDS, unlisted } from "../../../messages/run/failures";
import type { ExpressionFailed, ProgressReport } from "../../../model/api";

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

/** Expressions that failed on rows and are null there; renders nothing without failures. */
export function FailuresPanel({ report }: { report: ProgressReport }) {
  const failures = report.failures ?? [];
  if (failures.length === 0) return null;
  const others = unlisted(failures, report.failed ?? 0);
  return (
    <Panel
      title="Failed expressions"
      note={
        "The value is null on these rows, even if coalesce() replaces it; filters drop null." +
        (others > 0 ? ` ${formatCount(others)} more in expressions not listed.` : "")
      }
      flush
    >
      <Scroll label="Table of failed expressions">
        <table>
          <thead>
            <tr>
              <th>Node</th>
              <th>Expression</th>
              <th>Cause</th>
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
