import type { ReactNode } from "react";
import { Link } from "react-router";
import { useSlug } from "../../../lib/account/session";
import type { DashboardResponse } from "../../../model/api";
import { CONDITION_WORDS } from "../../../model/live/conditions";
import { formatInstant, formatSpan } from "../../../model/time/ticks";

/** The colour of a verdict; its words say the same. */
const TONES: Record<DashboardResponse["verdict"]["trust"], string> = {
  complete: "good",
  short: "bad",
  unknown: "unknown",
  stopped: "idle",
};

function Answer({ question, children }: { question: string; children: ReactNode }) {
  return (
    <div className="answer">
      <h2>{question}</h2>
      {children}
    </div>
  );
}

function SinceWhen({ shown }: { shown: DashboardResponse }) {
  const { since } = shown.verdict;
  if (since === null) return null;
  return (
    <Answer question="Since when?">
      <p className="fact">{formatInstant(since).slice(0, 16)} UTC</p>
      <p>
        For {formatSpan(Math.max(0, shown.now - since))}, in steps of {formatSpan(shown.step)}.
      </p>
    </Answer>
  );
}

function Blame({ shown }: { shown: DashboardResponse }) {
  const { trust, blame } = shown.verdict;
  if (trust === "complete" && blame === "") return null;
  return (
    <Answer question="Who is to blame?">
      <p>{blame === "" ? "No single lane, and nothing else that is known." : blame}</p>
    </Answer>
  );
}

function Remedies({ shown }: { shown: DashboardResponse }) {
  const slug = useSlug();
  const { run, verdict, alerts } = shown;
  const [worst] = shown.findings;
  if (run === null) {
    return (
      <Answer question="What can I do?">
        <p>
          <Link to={`/t/${slug}/bindings/${shown.binding}`}>Start it</Link>. Its figures appear with its first batch.
        </p>
      </Answer>
    );
  }
  if (verdict.trust === "complete" && worst === undefined) return null;
  return (
    <Answer question="What can I do?">
      <ul className="remedies">
        {verdict.trust === "short" ? (
          <>
            <li>
              <Link to={`/t/${slug}/runs/${run}#what-if`}>Find a delay that keeps these rows</Link>
            </li>
            <li>
              <Link to={`/t/${slug}/runs/${run}#quarantine`}>See and repair the rows</Link>
            </li>
          </>
        ) : null}
        {alerts > 0 ? (
          <li>
            <Link to={`/t/${slug}/alerts`}>Take its alerts</Link>
          </li>
        ) : null}
        <li>
          <Link to={`/t/${slug}/runs/${run}/logs`}>Read its log</Link>
        </li>
      </ul>
    </Answer>
  );
}

/** The verdict: the four questions of an operator, in their order. */
export function VerdictStrip({ shown }: { shown: DashboardResponse }) {
  const { verdict, findings } = shown;
  return (
    <section className="verdict" data-tone={TONES[verdict.trust]} aria-label="Verdict">
      <Answer question="Can I trust the numbers?">
        <p className="fact">{verdict.sentence}</p>
        {findings.map(({ condition, sentence }) => (
          <p key={condition}>
            <strong>{CONDITION_WORDS[condition].label}.</strong> {sentence}
          </p>
        ))}
      </Answer>
      <SinceWhen shown={shown} />
      <Blame shown={shown} />
      <Remedies shown={shown} />
    </section>
  );
}
