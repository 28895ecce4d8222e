import { Scroll } from "../../../components/page/Scroll";
import { OutcomeGlyph } from "../../../components/values/Glyph";
import { counted, formatCount } from "../../../lib/numbers";
import type { LedgerCounts, LedgerDay, LedgerResponse } from "../../../model/api";
import { ledgerOutcomes, unknownWords } from "../../../model/live/ledger";
import { OUTCOME_WORDS, type Outcome } from "../../../model/run/outcomes";

function Sum({ counts }: { counts: LedgerCounts }) {
  if (counts.difference === 0) return <td>adds up</td>;
  const words = counts.difference > 0 ? "without an outcome" : "too many outcomes";
  return (
    <td className="bad">
      does not add up: {counted(Math.abs(counts.difference), "row")} {words}
    </td>
  );
}

interface FiguresProps {
  counts: LedgerCounts | null;
  outcomes: readonly Outcome[];
}

function Figures({ counts, outcomes }: FiguresProps) {
  if (counts === null) {
    return (
      <td className="unknown" colSpan={outcomes.length + 3}>
        unknown
      </td>
    );
  }
  return (
    <>
      <td className="num">{formatCount(counts.received)}</td>
      {outcomes.map((outcome) => (
        <td key={outcome} className="num">
          {formatCount(counts.outcomes[outcome] ?? 0)}
        </td>
      ))}
      <Sum counts={counts} />
      <td className="num">{formatCount(counts.results)}</td>
    </>
  );
}

function note(day: LedgerDay): string {
  if (day.knowledge === "none") return "no run";
  return day.knowledge === "unknown" ? `unknown ${unknownWords(day)}` : "";
}

/** The days, newest first, below their sums. */
export function LedgerTable({ shown }: { shown: LedgerResponse }) {
  const outcomes = ledgerOutcomes(shown.total);
  return (
    <Scroll label="Table of days">
      <table className="dense ledger">
        <thead>
          <tr>
            <th>Day (UTC)</th>
            <th className="num">Received</th>
            {outcomes.map((outcome) => (
              <th key={outcome} className="num" title={OUTCOME_WORDS[outcome].meaning}>
                <OutcomeGlyph outcome={outcome} /> {OUTCOME_WORDS[outcome].label}
              </th>
            ))}
            <th>Sum of outcomes</th>
            <th className="num">Results</th>
            <th className="num">Repaired</th>
            <th>Note</th>
          </tr>
        </thead>
        <tbody>
          <tr className="total">
            <th scope="row">All days</th>
            <Figures counts={shown.total} outcomes={outcomes} />
            <td className="num">{formatCount(shown.repaired)}</td>
            <td>{shown.unknown_days === 0 ? "" : `${counted(shown.unknown_days, "day")} not completely known`}</td>
          </tr>
          {shown.days.map((day) => (
            <tr key={day.day} data-knowledge={day.knowledge}>
              <th scope="row" className="figures nowrap">
                {day.day}
              </th>
              <Figures counts={day.counts} outcomes={outcomes} />
              <td className="num">{formatCount(day.repaired)}</td>
              <td>{note(day)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
