import { useState } from "react";
import { FaultList } from "../../../../components/notices/FaultList";
import { ErrorNote, Waiting } from "../../../../components/notices/Notices";
import { Scroll } from "../../../../components/page/Scroll";
import { OutcomeMark } from "../../../../components/values/Glyph";
import { Instant } from "../../../../components/values/Instant";
import { valuesWords } from "../../../../messages/simulation";
import type { ComparedPolicy, PolicyComparison } from "../../../../model/api";
import { forceWord, lateOf, withLate } from "../../../../model/simulation/advanceEdits";
import { policyTable, type ResultOfPolicies } from "../../../../model/simulation/policies";
import { counted, formatCount } from "../../../../model/text/counts";
import { useComparison } from "../requests";
import { useSimulator } from "../view";

const MEANINGS = {
  drop: "late rows dropped",
  adjust: "start moved up to the CTI",
  shift: "whole lifetime moved to the CTI",
  keep: "counted in windows that are still open",
} as const;

function Head({ policy }: { policy: ComparedPolicy }) {
  const { readOnly, advance, asked, tryAdvance } = useSimulator();
  const inputs = Object.keys(advance);
  const tryIt = () => {
    for (const input of inputs) tryAdvance(input, withLate(advance[input], policy.policy));
  };
  const inForce = inputs.every((input) => lateOf(advance[input]) === policy.policy);
  return (
    <th scope="col" data-today={policy.today || undefined}>
      <strong>{policy.policy}</strong> {policy.today ? `(${forceWord(asked.advance, inputs)})` : null}
      <p className="quiet small">{MEANINGS[policy.policy]}</p>
      {readOnly || inForce || policy.faults.length > 0 ? null : (
        <button type="button" className="button" onClick={tryIt}>
          Try {policy.policy}
        </button>
      )}
    </th>
  );
}

const MARK_WORDS = { same: "", changed: "changed", only_here: "only here", missing: "not here" } as const;

function ResultCell({ result, policy }: { result: ResultOfPolicies; policy: string }) {
  const row = result.by.get(policy);
  if (row === undefined) return <td className="quiet">–</td>;
  const moved = row.mark === "changed" && (row.start !== result.start || row.end !== result.end);
  return (
    <td data-mark={row.mark}>
      {row.mark === "missing" ? null : valuesWords(row.payload)}{" "}
      {MARK_WORDS[row.mark] === "" ? null : <strong className="sim-mark">{MARK_WORDS[row.mark]}</strong>}
      {moved ? (
        <p className="small">
          <Instant ticks={row.start} /> – <Instant ticks={row.end} />
        </p>
      ) : null}
    </td>
  );
}

function Results({ comparison }: { comparison: PolicyComparison }) {
  const [all, setAll] = useState(false);
  const { outcomes, results } = policyTable(comparison);
  const differing = results.filter((result) => result.differs);
  const shown = all ? results : differing;
  return (
    <>
      <Scroll label="The four policies side by side">
        <table className="sim-policies">
          <thead>
            <tr>
              <th>Policy</th>
              {comparison.policies.map((policy) => (
                <Head key={policy.policy} policy={policy} />
              ))}
            </tr>
          </thead>
          <tbody>
            {outcomes.map(({ outcome, counts }) => (
              <tr key={outcome}>
                <th scope="row">
                  <OutcomeMark outcome={outcome} />
                </th>
                {counts.map((count, index) => (
                  <td key={comparison.policies[index]?.policy} className="figures">
                    {count === null ? "–" : formatCount(count)}
                  </td>
                ))}
              </tr>
            ))}
            {shown.map((result) => (
              <tr key={result.key}>
                <th scope="row">
                  {result.output} <Instant ticks={result.start} /> – <Instant ticks={result.end} />
                </th>
                {comparison.policies.map(({ policy }) => (
                  <ResultCell key={policy} result={result} policy={policy} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p className="row">
        <span className="quiet small">
          {differing.length === 0
            ? "All policies give the same results for this sample."
            : `${formatCount(differing.length)} of ${counted(results.length, "result")} differ between policies.`}
        </span>
        {differing.length === results.length ? null : (
          <button type="button" className="button" onClick={() => setAll(!all)}>
            {all ? "Show only differences" : "Show all results"}
          </button>
        )}
      </p>
    </>
  );
}

/** The results of one sample under drop, adjust, shift and keep. */
export function CompareTab() {
  const { asked } = useSimulator();
  const comparison = useComparison(asked);
  if (comparison.isPending) return <Waiting>Simulating the sample under each policy…</Waiting>;
  if (comparison.isError) return <ErrorNote error={comparison.error} onRetry={() => void comparison.refetch()} />;
  const refused = comparison.data.policies.filter((policy) => policy.faults.length > 0);
  return (
    <div className="stack" data-stale={comparison.isPlaceholderData || undefined}>
      <Results comparison={comparison.data} />
      {refused.map((policy) => (
        <div key={policy.policy}>
          <h3>The query does not support {policy.policy}</h3>
          <FaultList faults={policy.faults} />
        </div>
      ))}
    </div>
  );
}
