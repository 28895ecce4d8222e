import { Scroll } from "../../../components/page/Scroll";
import type { ScenarioFindings, ScenarioRow } from "../../../model/api";
import { formatInstant } from "../../../model/time/ticks";

type Kind = "missing" | "unexpected" | "expected" | "found";
const WORDS: Record<Kind, string> = {
  missing: "− missing",
  unexpected: "+ unexpected",
  expected: "− expected",
  found: "+ actual",
};
const SIGN: Record<Kind, "added" | "removed"> = {
  missing: "removed",
  unexpected: "added",
  expected: "removed",
  found: "added",
};

function lines(findings: ScenarioFindings): { kind: Kind; row: ScenarioRow }[] {
  return [
    ...findings.changed.flatMap(({ expected, found }) => [
      { kind: "expected" as const, row: expected },
      { kind: "found" as const, row: found },
    ]),
    ...findings.missing.map((row) => ({ kind: "missing" as const, row })),
    ...findings.unexpected.map((row) => ({ kind: "unexpected" as const, row })),
  ];
}

function payloadWords(payload: ScenarioRow["payload"]): string {
  return Object.entries(payload)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

/** Differences from a scenario's expectations: missing, unexpected and changed rows. */
export function Findings({ findings, title }: { findings: ScenarioFindings; title: string }) {
  const rows = lines(findings);
  return (
    <div className="stack findings">
      {findings.other.map((words) => (
        <p key={words}>{words}</p>
      ))}
      {rows.length === 0 ? null : (
        <Scroll label={title}>
          <table>
            <thead>
              <tr>
                <th>Row</th>
                <th>Start (UTC)</th>
                <th>End (UTC)</th>
                <th>Values</th>
                <th>Output</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ kind, row }) => (
                <tr key={`${kind} ${JSON.stringify(row)}`} data-change={SIGN[kind]}>
                  <th scope="row" className="nowrap">
                    {WORDS[kind]}
                  </th>
                  <td className="nowrap">{formatInstant(row.start)}</td>
                  <td className="nowrap">{formatInstant(row.end)}</td>
                  <td className="mono">{payloadWords(row.payload)}</td>
                  <td>{row.output}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </div>
  );
}
